"""Names that old packages import and libraries have dropped, and programs that use them (U1)."""

import os
import subprocess
import sys
import traceback
from importlib.util import find_spec

import numpy as np
import pytest

import theano
from tests.architecture.sources import ROOT
from theano._src.ground.old_packages import hook, names, python2, recipes, substitutes
from theano._src.ground.old_packages.corrections import CORRECTIONS, Correction
from theano._src.ground.old_packages.stand_ins import cross_validation, python2_pickle

PROCESS = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "default"}


def python(*words, folder=None, code=0):
    """What a Python process prints, to both streams; it ends with ``code``."""
    done = subprocess.run(
        [sys.executable, *words], cwd=folder or ROOT, env=PROCESS, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == code, done.stdout
    return done.stdout


def test_importing_theano_brings_no_old_name():
    """U1: off unless asked for."""
    code = (
        "import sys, theano, theano.tensor, collections\n"
        "print([m for m in sys.modules if 'old_packages' in m], hasattr(collections, 'Iterable'))"
    )
    assert python("-c", code) == "[] False\n"


LAZY = """
import sys
import numpy, collections
before = {name: dict(vars(sys.modules[name])) for name in list(sys.modules)}
import theano.old_packages
libraries = {'sklearn', 'matplotlib', 'pandas', 'h5py', 'scipy'}
ours = [m for m in sys.modules if m.split('.')[0] in libraries]
assert not ours, ours
changed = {
    f'{name}.{key}'
    for name, old in before.items()
    for key, value in old.items()
    if vars(sys.modules[name]).get(key) is not value
    and key not in ('__getattr__', '__warningregistry__')
}
print(sorted(changed - {'sys.last_exc'}))
finders = len(sys.meta_path)
from theano._src.ground.old_packages import hook
hook.enable()
assert len(sys.meta_path) == finders
assert collections.Iterable is collections.abc.Iterable
assert numpy.float is float and numpy.bool is numpy.bool_
from inspect import getargspec
assert getargspec(lambda a, b=1: 0) == (['a', 'b'], None, None, (1,))
"""


def test_one_import_brings_names_replaces_none_and_imports_no_library():
    """U1: idempotent, and lazy."""
    assert python("-c", LAZY) == "[]\n"


EVERY = """
import importlib, warnings
from importlib.util import find_spec
import theano.old_packages
from theano._src.ground.old_packages.names import METHODS, MODULES, NAMES
warnings.simplefilter('ignore')
wrong, seen = [], 0

def installed(module):
    return find_spec(module.partition('.')[0]) is not None

for module, table in NAMES.items():
    if installed(module):
        for name in table:
            if name == '*':
                continue
            try:
                getattr(importlib.import_module(module), name)
                seen += 1
            except Exception as error:
                wrong.append((module, name, repr(error)))
for place, methods in METHODS.items():
    module, _, path = place.partition(':')
    if installed(module):
        for name in methods:
            if not hasattr(getattr(importlib.import_module(module), path), name):
                wrong.append((place, name))
            seen += 1
for old, new in MODULES.items():
    if installed(new) and (installed(old) or '.' not in old):
        try:
            importlib.import_module(old)
            seen += 1
        except Exception as error:
            wrong.append((old, new, repr(error)))
print(wrong)
print(seen)
"""


@pytest.mark.slow
def test_every_name_of_the_tables_is_there_where_its_library_is():
    wrong, seen = python("-c", EVERY).splitlines()[-2:]
    assert wrong == "[]"
    assert int(seen) > 250


def test_a_name_that_cannot_be_brought_is_imported_and_says_what_to_use():
    """U1: no fake data, no silent stub."""
    value = hook._value("scipy.misc.imread", names.NAMES["scipy.misc"]["imread"])
    with pytest.raises(RuntimeError, match=r"scipy\.misc\.imread is gone: .* use imageio"):
        value("cat.png")
    boston = names.NAMES["sklearn.datasets"]["load_boston"]
    with pytest.raises(RuntimeError, match="fetch_openml"):
        hook._value("sklearn.datasets.load_boston", boston)()
    with pytest.raises(RuntimeError, match="run them with pytest"):
        substitutes.Tester().test()


@pytest.fixture
def finders(monkeypatch):
    """The finders, without the names of Python itself, for this test alone."""
    monkeypatch.setattr(sys, "meta_path", [hook._Finder(), *sys.meta_path, hook._Missing()])
    monkeypatch.setattr(hook, "python2_files", [])
    monkeypatch.setattr(hook, "converted", [])


def module_in(folder, monkeypatch, name, text):
    (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, name, raising=False)


def test_names_come_when_a_library_is_imported_and_never_replace_its_own(
    finders, monkeypatch, tmp_path
):
    module_in(tmp_path, monkeypatch, "a_library", "there = 1\nclass Frame: pass\n")
    table = {"there": "builtins:str", "gone": "math:pi"}
    monkeypatch.setitem(names.NAMES, "a_library", table)
    monkeypatch.setitem(names.METHODS, "a_library:Frame", {"old": "builtins:len"})
    monkeypatch.setattr(hook, "_PATCHED", {"a_library"})
    import a_library

    assert (a_library.there, a_library.gone, a_library.Frame.old) == (1, np.pi, len)
    assert a_library.__spec__.loader.get_filename("a_library") == a_library.__file__
    with pytest.raises(AttributeError, match="module 'a_library' has no attribute 'other'"):
        a_library.other  # noqa: B018


def test_a_library_keeps_its_own_getattr(finders, monkeypatch, tmp_path):
    text = (
        "def __getattr__(name):\n    if name == 'late': return 5\n    raise AttributeError('own')\n"
    )
    module_in(tmp_path, monkeypatch, "lazy_library", text)
    monkeypatch.setitem(names.NAMES, "lazy_library", {"late": "math:pi", "gone": "math:e"})
    monkeypatch.setattr(hook, "_PATCHED", {"lazy_library"})
    import lazy_library

    assert (lazy_library.late, lazy_library.gone) == (5, np.e)
    with pytest.raises(AttributeError, match="own"):
        lazy_library.other  # noqa: B018


def test_a_module_that_is_gone_is_another_and_an_unknown_one_is_still_not_found(
    finders, monkeypatch
):
    monkeypatch.setitem(names.MODULES, "a_module_that_went", "math")
    monkeypatch.delitem(sys.modules, "a_module_that_went", raising=False)
    import math

    import a_module_that_went

    assert a_module_that_went is math
    with pytest.raises(ModuleNotFoundError, match="No module named 'a_module_never_there'"):
        import a_module_never_there  # noqa: F401


def test_a_correction_is_in_memory_alone_and_keeps_the_lines_of_the_file(
    finders, monkeypatch, tmp_path
):
    text = "def first():\n    return 1\n\ndef fail():\n    raise ValueError\n"
    module_in(tmp_path, monkeypatch, "corrected_module", text)
    correction = Correction("    return 1\n", "    x = 1\n    x += 1\n    return x\n", "a reason")
    monkeypatch.setitem(CORRECTIONS, "corrected_module", (correction,))
    import corrected_module

    assert corrected_module.first() == 2
    assert (tmp_path / "corrected_module.py").read_text() == text
    with pytest.raises(ValueError) as caught:
        corrected_module.fail()
    assert traceback.extract_tb(caught.tb)[-1].lineno == 5


def test_each_correction_changes_something_and_has_a_reason():
    for corrections in CORRECTIONS.values():
        assert corrections
        assert all(c.old != c.new and c.reason for c in corrections)


# substitutes


def test_substitutes_do_what_the_old_documents_say():
    assert substitutes.asscalar(np.array([3.5])) == 3.5
    assert substitutes.find_common_type([np.float32], [np.int64, np.float64]) == np.float32
    assert substitutes.find_common_type([np.float32], [complex]) == np.complex128
    assert substitutes.find_common_type([], [np.int8, np.int64]) == np.int64
    assert substitutes.cast["int8"]([1.7]).dtype == np.int8
    assert substitutes.in1d([[0, 1], [2, 5]], [0, 2]).tolist() == [True, False, True, False]
    assert substitutes.nbytes["float32"] == 4
    assert substitutes.derivative(lambda x: x**3 + x**2, 1.0, dx=1e-6) == pytest.approx(5)
    assert substitutes.derivative(np.exp, 0.0, dx=0.01, n=2, order=5) == pytest.approx(1, 1e-8)
    np.testing.assert_allclose(substitutes.central_diff_weights(3), [-0.5, 0, 0.5], atol=1e-15)
    assert substitutes.formatargspec(["a", "b"], "c", "d", (1,)) == "(a, b=1, *c, **d)"
    assert [substitutes.cmp(1, 2), substitutes.cmp(2, 2), substitutes.cmp("b", "a")] == [-1, 0, 1]
    with pytest.raises(RuntimeError, match="clear the axes"):
        substitutes.hold(False)


@pytest.mark.skipif(find_spec("sklearn") is None, reason="the splitters are scikit-learn's")
def test_splitters_take_the_data_as_they_did_before_scikit_learn_0_18():
    folds = cross_validation.KFold(6, n_folds=3)
    train, test = next(iter(folds))
    assert (train.tolist(), test.tolist()) == ([2, 3, 4, 5], [0, 1])
    y = [0, 0, 1, 1, 1, 1]
    for train, test in cross_validation.StratifiedKFold(y, n_folds=2):
        assert np.bincount(np.take(y, test)).tolist() == [1, 2] and len(train) == 3
    assert len(cross_validation.ShuffleSplit(10, n_iter=4, random_state=0)) == 4


# Python 2


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (7, 2, 3),
        (-7, 2, -4),
        (7.0, 2, 3.5),
        (True, 2, 0),
        (np.int64(7), 2, 3),
        (7, np.float32(2), 3.5),
    ],
)
def test_integers_divide_as_in_python_2(a, b, expected):
    assert python2.divide(a, b) == expected


def test_arrays_and_variables_of_integers_divide_as_in_python_2():
    """U1: Theano 1.0.5 gives integers for both orders; `__rdiv__` gave floats here."""
    assert python2.divide(np.array([7, 8]), 2).tolist() == [3, 4]
    x = theano.tensor.iscalar()
    with pytest.warns(DeprecationWarning, match="use x // y"):
        assert python2.divide(x, 2).eval({x: 7}) == 3
        assert python2.divide(7, x).eval({x: 2}) == 3
    assert python2.divide(7.0, x).eval({x: 2}) == 3.5


def run_python2(text):
    variables = {}
    exec(python2.compile_python2(text, "old.py"), variables)
    return variables


def test_a_source_of_python_2_is_converted():
    found = run_python2(
        "import cPickle\n"
        "half = 7 / 2\n"
        "values = [8, 9.0]\n"
        "values[0] /= 3\n"
        "values[1] /= 3\n"
        "calls = []\n"
        "def at(i):\n"
        "    calls.append(i)\n"
        "    return i\n"
        "values[at(0)] /= 2\n"
        "class Box: pass\n"
        "box = Box(); box.n = 9; box.n /= 2\n"
        "pairs = sorted({'a': 1}.iteritems())\n"
        "both = map(str, [1, 2])\n"
        "total = reduce(lambda a, b: a + b, xrange(4))\n"
        "none = __import__('numpy').zeros(2) == None\n"
        "load = cPickle.load\n"
    )
    assert (found["half"], found["values"], found["box"].n) == (3, [1, 3.0], 4)
    assert found["calls"] == [0]
    assert (found["pairs"], found["both"], found["total"]) == ([("a", 1)], ["1", "2"], 6)
    assert found["none"] is False
    assert found["load"] is python2_pickle.load


@pytest.mark.parametrize(
    "line",
    ["import six.moves.cPickle as p", "from six.moves import cPickle as p", "import pickle as p"],
)
def test_a_source_of_python_2_has_its_pickles_by_whatever_name(line):
    assert run_python2(line + "\nprint 1\n")["p"] is python2_pickle


def test_a_source_that_asks_for_true_division_has_it():
    assert run_python2("from __future__ import division\nprint 1,\nx = 7 / 2\n")["x"] == 3.5


def test_tabs_and_spaces_may_be_mixed_in_python_2():
    assert run_python2("if True:\n        x = 1\n\ty = 2\n\tprint y\n")["y"] == 2


def test_pickles_of_python_2_are_read_also_from_files_that_were_opened_as_text(tmp_path):
    path = tmp_path / "p.pkl"
    path.write_bytes(b"U\x01\xe9.")  # the text "\xe9" of Python 2
    with path.open() as file:
        assert python2_pickle.load(file) == "\xe9"
    with path.open("w") as file:
        python2_pickle.dump([1], file)
    assert python2_pickle.loads(path.read_bytes()) == [1]


def test_where_no_converter_is_installed_the_error_says_which_one_to_install(monkeypatch):
    monkeypatch.setattr(python2, "_converter", lambda: None)
    with pytest.raises(SyntaxError, match="Missing parentheses") as caught:
        python2.compile_python2("print 1\n", "old.py")
    assert "pip install fissix" in caught.value.__notes__[0]


def test_what_is_neither_python_2_nor_3_is_refused_in_python_s_own_words():
    with pytest.raises(SyntaxError, match="invalid syntax") as caught:
        python2.compile_python2("x = = 1\n", "old.py")
    assert (caught.value.filename, caught.value.lineno) == ("old.py", 1)


# python -m theano run

MAIN = """import os, sys
os.environ["THEANO_FLAGS"] = "floatX=float32"
import theano
from collections import Iterable
import helper
print "%s %s %s" % (sys.argv, __name__, os.path.samefile(sys.path[0], os.path.dirname(__file__)))
print theano.config.floatX, helper.half(9), 7 / 2
value = reduce(max, [1, 2]); execfile(os.path.join(sys.path[0], "more.py")); print third
def fail():
    raise KeyError, "no key"
if sys.argv[1] == "fail":
    fail()
sys.exit(int(sys.argv[1]))
"""


@pytest.fixture
def program(tmp_path):
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / "main.py").write_text(MAIN)
    # Python 3 can read it too, and would give 4.5
    (folder / "helper.py").write_text("def half(x):\n    return x / 2\n")
    (folder / "more.py").write_text("third = 7 / 3\n")
    return folder


def test_a_program_runs_as_python_runs_it_with_what_it_imports_from_its_folder(program):
    """U1: argv, name, path, flags that it sets, exit code; its modules are Python 2 as it is."""
    text = python("-m", "theano", "run", "old/main.py", "5", folder=program.parent, code=5)
    assert sorted(text.splitlines()) == sorted(
        [
            "old/main.py is Python 2: converted",
            "old/helper.py is Python 2: converted",
            "old/more.py is Python 2: converted",
            "['old/main.py', '5'] __main__ True",
            "float32 4 3",
            "2",
        ]
    )


def test_a_traceback_of_a_program_names_its_own_file_and_lines_alone(program):
    """U1."""
    text = python("-m", "theano", "run", "old/main.py", "fail", folder=program.parent, code=1)
    assert text.partition("Traceback")[2].splitlines()[1:] == [
        f'  File "{part}", line {line}, in {name}' if isinstance(line, int) else part
        for part, line, name in [
            (program / "main.py", 12, "<module>"),
            ("    fail()", None, None),
            (program / "main.py", 10, "fail"),
            ('    raise KeyError, "no key"', None, None),
            ("KeyError: 'no key'", None, None),
        ]
    ]


def test_a_mistake_in_a_module_is_shown_without_frames_of_ours(program):
    (program / "bad.py").write_text("def f(:\n    pass\n")
    (program / "uses.py").write_text("import bad\n")
    text = python("-m", "theano", "run", "uses.py", folder=program, code=1)
    assert text.splitlines() == [
        "Traceback (most recent call last):",
        f'  File "{program / "uses.py"}", line 1, in <module>',
        "    import bad",
        f'  File "{program / "bad.py"}", line 1',
        "    def f(:",
        "          ^",
        "SyntaxError: invalid syntax",
    ]


def test_a_module_and_a_text_of_python_3_run_too_and_python_2_if_it_is_said(program):
    (program / "new.py").write_text("import sys\nprint(sys.argv[1:], 7 / 2, __name__)\n")
    asked = [("-m", "new"), ("-c", "import sys; print(sys.argv[1:], 7 / 2, __name__)")]
    for words in asked:
        text = python("-m", "theano", "run", *words, "a", folder=program)
        assert text == "['a'] 3.5 __main__\n"
    text = python("-m", "theano", "run", "--python2", "new.py", folder=program)
    assert text.endswith("([], 3, '__main__')\n")  # what Python 2 prints of a tuple


def test_a_program_that_is_not_there_is_named(tmp_path):
    text = python("-m", "theano", "run", "absent.py", folder=tmp_path, code=2)
    assert text == "python -m theano run: there is no file 'absent.py'\n"
    assert "run [--python2] PROGRAM" in python("-m", "theano", "run", code=1)


# python -m theano recipe


def test_a_recipe_prints_the_commands_with_their_versions(capsys):
    """U1."""
    assert recipes.print_recipe(["PyMC3", "3.11.6"]) == 0
    text = capsys.readouterr().out
    assert "pip install arviz==0.14.0 " in text
    assert "pip install --no-deps pymc3==3.11.6\n" in text
    assert "python -m theano run PROGRAM.py\n" in text


def test_recipe_alone_lists_all_and_an_unknown_name_is_told_the_near_ones(capsys):
    """U1."""
    assert recipes.print_recipe([]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in recipes.recipes())
    assert recipes.print_recipe(["kersa-rl"]) == 1
    assert "did you mean keras-rl" in capsys.readouterr().err
    assert recipes.print_recipe(["zzz"]) == 1
    assert "there are: agentnet, arctic-captions" in capsys.readouterr().err
