"""Tracebacks show the user's frames: those of the package are taken out where errors leave it."""

import importlib
import os
import pdb
import pkgutil
import subprocess
import sys
import traceback
from types import FunctionType

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.architecture.sources import ROOT
from theano._src.engines import error_report
from theano._src.ground.documented import is_entry_point

BLAMED = (error_report.__file__, "failed")


def frames(caught):
    """(file, function) of each frame below that of the test, innermost last."""
    found = traceback.extract_tb(caught.value.__traceback__)
    return [(f.filename, f.name) for f in found][1:]


@pytest.fixture(params=["numpy", "py", "xla", None])
def mode(request):
    return None if request.param is None else theano.Mode(request.param)


def test_an_error_of_a_node_shows_one_frame_below_the_call(mode):
    x, y = T.dvectors("x", "y")
    f = theano.function([x, y], T.exp(x) * y, mode=mode)
    for _ in range(2):
        with pytest.raises(ValueError, match="mis-match") as caught:
            f(np.ones(2), np.ones(3))
        assert frames(caught) == [BLAMED]


def test_a_wrong_argument_shows_the_call_alone(mode):
    x = T.dvector("x")
    f = theano.function([x], 2 * x, mode=mode)
    for wrong in ([[1.0]], "a", None):
        with pytest.raises(TypeError, match="Bad input argument") as caught:
            f(wrong)
        assert frames(caught) == []
    with pytest.raises(TypeError, match="Missing required input") as caught:
        f()
    assert frames(caught) == []


@pytest.mark.parametrize(
    "mistake",
    [
        lambda x: theano.function([x], T.dvector()),
        lambda x: theano.function(x, x),
        lambda x: theano.grad(x, x),
        lambda x: theano.grad(x.sum(), T.dvector()),
        lambda x: theano.Rop(x, x, 3),
        lambda x: theano.gradient.jacobian(3, x),
        lambda x: x + "a",
        lambda x: T.as_tensor_variable("a"),
        lambda x: T.exp(x, x),
        lambda x: (x + 1).eval(),
        lambda x: theano.scan(lambda a: None, sequences=x),
    ],
)
def test_what_is_wrong_when_a_graph_is_built_shows_the_line_alone(mistake):
    with pytest.raises(Exception) as caught:
        mistake(T.dvector("x"))
    assert frames(caught) == [(__file__, "<lambda>")]


def test_every_documented_function_is_an_entry_point():
    """U3.5: errors of functions that check their arguments themselves showed our frames."""
    missing = []
    for module in pkgutil.walk_packages(theano.__path__, "theano."):
        if "._src" in module.name or module.name.endswith("__main__"):
            continue
        for name, thing in vars(importlib.import_module(module.name)).items():
            home = getattr(thing, "__module__", None) or ""
            documented = home.startswith("theano.") and "._src" not in home
            if isinstance(thing, FunctionType) and not name.startswith("_") and documented:
                missing += [] if is_entry_point(thing) else [f"{module.name}.{name}"]
    assert not missing


@pytest.mark.parametrize(
    "mistake",
    [
        "theano.config.floatX = 'foo'",
        "theano.config.flotX",
        "theano.config.flotX = 1",
        "theano.config.change_flags(flotX=1)",
        "with theano.config.change_flags(floatX=1): pass",
        "T.zeros((None, 3))",
        "theano.ifelse.ifelse(x > 0, x, -x)",
        "theano.shared(1.0, dtype='float32')",
        "x.reshape('a')",
        "x.dimshuffle(0, 1, 2)",
        "x[x]",
        "x[0] = 1",
        "x.set_value(1)",
        "if x > 0: pass",
        "len(x)",
        "float(x)",
        "for row in x: pass",
        "theano.Mode('nolinker')",
        "T.TensorType('float32', 2)",
        "T.dvector(3)",
        "theano.In(3)",
        "T.shared_randomstreams.RandomStreams('a')",
        "T.shared_randomstreams.RandomStreams(1).normal(size='a')",
        "theano.sandbox.rng_mrg.MRG_RandomStreams(1).normal(size='a')",
        "T.constant('a')",
        "theano.shared(1.0).set_value('a')",
        "theano.OpFromGraph([3], [x])",
    ],
)
def test_build_time_and_config_errors_show_the_line_alone(mistake):
    """U3.5: up to 45 lines of them were frames of the package."""
    code = compile(mistake, "<mistake>", "exec")
    with pytest.raises(Exception) as caught:
        exec(code, {"theano": theano, "T": T, "x": T.dvector("x")})
    each = caught.value
    assert frames(caught) == [("<mistake>", "<module>")]
    assert each.__suppress_context__ or each.__context__ is None


def test_a_flag_that_is_wrong_at_import_shows_the_import_and_the_line_that_reads_it():
    done = subprocess.run(
        [sys.executable, "-c", "import theano"],
        env={**os.environ, "THEANO_FLAGS": "floatX=foo"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and done.stderr.count("File ") == 2, done.stderr
    assert "# THEANO_FLAGS and the THEANORC file are read here" in done.stderr
    assert done.stderr.endswith("got 'foo' (THEANO_FLAGS)\n")


def test_frames_of_a_step_and_of_an_op_of_the_users_stay():
    def step(a):
        raise KeyError("mine")

    with pytest.raises(KeyError) as caught:
        theano.scan(step, sequences=T.dvector())
    assert frames(caught) == [(__file__, "step")]

    @theano.as_op([T.dmatrix], [T.dmatrix])
    def inverse(a):
        return np.linalg.inv(a)

    x = T.dmatrix("x")
    f = theano.function([x], inverse(x))
    with pytest.raises(np.linalg.LinAlgError) as caught:
        f(np.zeros((2, 2)))
    blamed, mine, *numpys = frames(caught)
    assert (blamed, mine) == (BLAMED, (__file__, "inverse"))
    assert numpys and all("numpy" in file for file, _ in numpys)


def test_frames_of_numpy_within_an_op_of_ours_go():
    x = T.dmatrix("x")
    f = theano.function([x], T.nlinalg.matrix_inverse(x), mode=theano.Mode("numpy"))
    with pytest.raises(np.linalg.LinAlgError) as caught:
        f(np.zeros((2, 2)))
    assert frames(caught) == [BLAMED]


def test_high_verbosity_shows_every_frame():
    x = T.dvector("x")
    f = theano.function([x], x + np.ones(2))
    with (
        theano.config.change_flags(exception_verbosity="high"),
        pytest.raises(ValueError, match="mis-match") as caught,
    ):
        f(np.ones(3))
    files = [file for file, _ in frames(caught)]
    assert any("numpy/engine.py" in file for file in files) and len(files) > 5


def test_causes_are_shortened_too():
    class Raises:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("inner")

    with pytest.raises(Exception) as caught:
        T.dvector("x") + Raises()
    each, names = caught.value, []
    while each is not None:
        names += [f.f_globals["__name__"] for f, _ in traceback.walk_tb(each.__traceback__)]
        each = each.__cause__ or each.__context__
    assert "theano" not in {name.partition(".")[0] for name in names}


def test_a_debugger_stops_where_node_and_thunk_are(capsys, monkeypatch):
    x = T.dvector("x")
    f = theano.function([x], x + np.ones(2))
    with pytest.raises(ValueError, match="mis-match") as caught:
        f(np.ones(3))
    seen = []
    monkeypatch.setattr(pdb.Pdb, "cmdloop", lambda self: seen.append(self.curframe.f_locals))
    pdb.post_mortem(caught.value.__traceback__)
    assert seen[0]["thunk"].inputs[0][0].shape == (3,) or seen[0]["thunk"].inputs[1][0].shape == (
        3,
    )
    assert "Elemwise" in str(seen[0]["node"])


def run(code):
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_hook_is_installed_and_ipython_is_not_loaded():
    code = (
        "import sys\n"
        "import theano\n"
        "print(sys.excepthook is sys.__excepthook__, 'IPython' in sys.modules)"
    )
    assert run(code).split() == ["True", "False"]


SESSION = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance(colors="nocolor")
for cell in (
    "import numpy as np, theano, theano.tensor as T",
    "def model(a, b):\\n    return T.exp(a) + b",
    "x, y = T.dvectors('x', 'y')\\nf = theano.function([x, y], model(x, y))",
    "f(np.ones(2), np.ones(3))",
):
    shell.run_cell(cell, store_history=True)
"""


def test_in_ipython_cells_have_their_names_and_its_own_frames_are_not_shown():
    pytest.importorskip("IPython", reason="it is about IPython")
    text = run(SESSION)
    shown, _, made = text.partition("Backtrace when the node is created")
    assert "Cell In[4], line 1" in shown and shown.count("theano/_src") == 1
    # U3.5: the frame that debuggers look into had no source
    assert "Could not get source" not in text
    assert "raise error" in shown and "`node` is the failed node" in shown
    assert "  Cell In[3], line 2, in <module>\n" in made
    assert "  Cell In[2], line 2, in model\n    return T.exp(a) + b\n" in made
    assert "interactiveshell" not in text and "File" not in made


PROFILED = SESSION.replace("f(np.ones(2), np.ones(3))", "f(np.ones(2), np.ones(2))").replace(
    "model(x, y))", "model(x, y), profile=True)"
)


def test_in_ipython_profiles_name_cells_as_errors_do():
    """U3.3: profiles in notebooks named `603170610.py:3`."""
    pytest.importorskip("IPython", reason="it is about IPython")
    text = run(
        PROFILED
        + "f = shell.user_ns['f']\nprint('NAME', f.name)\nprint('LINES', *f.profile.line_time())"
    )
    assert "NAME Cell In[3]:2" in text
    assert "LINES Cell In[2]:2  return T.exp(a) + b" in text


def test_a_users_module_that_is_called_like_one_of_ours_keeps_its_frames():
    # as tests that were written for Theano are
    source = "def fails(x):\n    return theano.function([x], x, no_such_option=1)\n"
    space = {"theano": theano, "__name__": "theano.tests.mine"}
    exec(compile(source, "/elsewhere/theano/tests/mine.py", "exec"), space)
    with pytest.raises(TypeError) as caught:
        space["fails"](T.dscalar("x"))
    assert "fails" in [entry.name for entry in caught.traceback]
