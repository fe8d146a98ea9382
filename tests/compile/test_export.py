"""Functions written to files that run without theano: what they give, and what is refused."""

import importlib.util
import subprocess
import sys

import jax
import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.compile.export_programs import PROGRAMS, K, W, im, ints, v, x
from theano._src.compile.export.export_stablehlo import as_function, exported
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.shared_randomstreams import RandomStreams
from theano.tensor.signal.pool import pool_2d

pytestmark = pytest.mark.xla

PLAIN = theano.Mode("py", "fast_run")


def as_list(made):
    return list(made) if isinstance(made, list | tuple) else [made]


def loaded(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def agree(got, want):
    for one, other in zip(as_list(got), as_list(want), strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_writers_give_the_numbers_of_numpy_for_several_lengths(name, tmp_path):
    inputs, values, outputs, options = PROGRAMS[name]
    f = theano.function(inputs, outputs, mode=PLAIN)
    theano.export(f, tmp_path / "model.py", **options)
    model = loaded(tmp_path / "model.py").model
    with jax.enable_x64(True):
        call = exported(as_function(f, None, None, False), **options).call
        for n in (1, 4):
            given = values(n)
            want = f(*given)
            agree(model(*given), want)
            agree([np.asarray(one) for one in as_list(call(*given))], want)


# programs without theano

ALONE = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {refused}:
            raise ImportError(name + " is refused")
sys.meta_path.insert(0, Refuse())
import numpy as np
given = dict(np.load("given.npz"))
{body}
np.savez("made.npz", **made)
assert not {refused} & set(sys.modules)
"""


def alone(folder, body, refused, given):
    """The arrays that a program makes which cannot import ``refused``."""
    np.savez(folder / "given.npz", **given)
    text = ALONE.format(body=body, refused=set(refused))
    subprocess.run([sys.executable, "-c", text], cwd=folder, check=True)
    with np.load(folder / "made.npz") as made:
        return dict(made)


def lenet():
    """Two convolutions with pooling, a hidden layer, and classes; 28 by 28 pixels."""
    draw = np.random.RandomState(1)

    def weights(*shape):
        return theano.shared((0.1 * draw.randn(*shape)).astype("float32"), f"w{len(shape)}")

    x = T.ftensor4("x")
    h = x
    for maps, channels in ((6, 1), (8, 6)):
        h = T.tanh(T.nnet.conv2d(h, weights(maps, channels, 5, 5)))
        h = pool_2d(h, (2, 2), ignore_border=True)
    h = T.tanh(h.flatten(2).dot(weights(128, 20)))
    return theano.function([x], T.nnet.softmax(h.dot(weights(20, 10))))


def gated():
    """The classes of sequences, by a recurrence with a gate."""
    draw = np.random.RandomState(2)
    u, w, g = (
        theano.shared((0.3 * draw.randn(*s)).astype("float32"), n)
        for n, s in (("u", (5, 8)), ("w", (8, 8)), ("g", (8, 8)))
    )

    def step(e, h):
        z = T.nnet.sigmoid(h.dot(g))
        return z * h + (1 - z) * T.tanh(e.dot(u) + h.dot(w))

    seq = T.ftensor3("seq")
    h = theano.scan(step, seq, T.zeros((seq.shape[1], 8), "float32"))[0]
    return theano.function([seq], T.nnet.softmax(h[-1]))


@pytest.fixture(scope="module")
def nets():
    draw = np.random.RandomState(3)
    images = [draw.rand(n, 1, 28, 28).astype("float32") for n in (1, 3)]
    series = [draw.rand(t, n, 5).astype("float32") for t, n in ((2, 1), (6, 4))]
    shapes = {"x": ("n", 1, 28, 28)}
    return [("lenet", lenet(), images, {"shapes": shapes}), ("gated", gated(), series, {})]


def given_and_wanted(nets):
    given = {f"{n}_{i}": x for n, _, xs, _ in nets for i, x in enumerate(xs)}
    return given, {f"{n}_{i}": f(x) for n, f, xs, _ in nets for i, x in enumerate(xs)}


def test_files_for_numpy_run_without_theano_and_without_jax(nets, tmp_path):
    given, wanted = given_and_wanted(nets)
    for name, f, _, options in nets:
        theano.export(f, tmp_path / f"{name}.py", **options)
    body = "import gated, lenet, sys\n"
    body += "made = {k: getattr(sys.modules[k[:-2]], k[:-2])(x) for k, x in given.items()}"
    made = alone(tmp_path, body, ["theano", "jax", "scipy"], given)
    for key, want in wanted.items():
        np.testing.assert_allclose(made[key], want, rtol=2e-6)
    assert sorted(p.name for p in tmp_path.iterdir() if p.suffix == ".npz") == [
        "gated.npz",
        "given.npz",
        "lenet.npz",
        "made.npz",
    ]


def test_stablehlo_runs_where_there_is_jax_and_no_theano(nets, tmp_path):
    pytest.importorskip("flatbuffers", reason="jax.export needs it to write files: extra export")
    given, wanted = given_and_wanted(nets)
    for name, f, _, options in nets:
        theano.export(f, tmp_path / f"{name}.stablehlo", **options)
    body = "from jax import export\nmade = {}\nfor k, x in given.items():\n"
    body += "    data = bytearray(open(k[:-2] + '.stablehlo', 'rb').read())\n"
    body += "    made[k] = export.deserialize(data).call(x)"
    made = alone(tmp_path, body, ["theano"], given)
    for key, want in wanted.items():
        np.testing.assert_allclose(made[key], want, rtol=2e-6)


def test_a_recurrence_reads_as_one_would_write_it(tmp_path):
    s, h0 = T.dtensor3("s"), T.dmatrix("h0")
    h = theano.scan(lambda e, h: T.tanh(e + h.dot(W)), s, h0)[0][-1]
    h.name = "h"
    theano.export(theano.function([s, h0], h), tmp_path / "model.py", shapes={s: ("t", "n", 3)})
    text = (tmp_path / "model.py").read_text()
    assert "    for i in range(t):\n        state = np.tanh(np.dot(state, W) + s[i])\n" in text
    assert "# test_export.py:" in text
    assert "    h0 = given('h0', h0, 'float64', (n, 3))\n" in text


# state and parameters


def test_parameters_are_the_first_argument_and_lie_beside_the_file(tmp_path):
    w = theano.shared(np.float64([1, 2, 3]), "w")
    f = theano.function([x], (x * w).sum(axis=1))
    theano.export(f, tmp_path / "model.py", params=True)
    module = loaded(tmp_path / "model.py")
    params = module.parameters()
    assert list(params) == ["w"]
    np.testing.assert_array_equal(module.model(params, np.ones((2, 3))), [6, 6])
    np.testing.assert_array_equal(module.model({"w": -params["w"]}, np.ones((2, 3))), [-6, -6])
    with np.load(tmp_path / "model.npz") as beside:
        np.testing.assert_array_equal(beside["w"], [1, 2, 3])


def test_a_function_with_updates_gives_the_new_parameters(tmp_path):
    w = theano.shared(np.float64([1, 2]), "w")
    target = T.dvector("target")
    cost = T.sqr(w - target).sum()
    f = theano.function([target], cost, updates=[(w, w - 0.1 * T.grad(cost, w))])
    theano.export(f, tmp_path / "step.py", params=True)
    module = loaded(tmp_path / "step.py")
    call = exported(as_function(f, None, None, True)).call
    params = module.parameters()
    with jax.enable_x64(True):
        theirs = dict(params)
        for _ in range(3):
            got, params = module.step(params, [0, 1])
            again, theirs = call(theirs, np.float64([0, 1]))
            want = f([0, 1])
            np.testing.assert_allclose(got, want, rtol=1e-15)
            np.testing.assert_allclose(again, want, rtol=1e-15)
    np.testing.assert_allclose(params["w"], w.get_value(), rtol=1e-15)
    np.testing.assert_allclose(theirs["w"], w.get_value(), rtol=1e-15)


def test_random_streams_go_on_from_the_state_that_they_are_given(tmp_path):
    stream = MRG_RandomStreams(5)
    f = theano.function([], stream.uniform((4,), dtype="float64"))
    theano.export(f, tmp_path / "draw.py", params=True)
    module = loaded(tmp_path / "draw.py")
    params = module.parameters()
    for _ in range(3):
        made, params = module.draw(params)
        np.testing.assert_array_equal(made, f())


def test_outputs_keep_their_form(tmp_path):
    f = theano.function([v], {"twice": v * 2, "sum": v.sum()})
    theano.export(f, tmp_path / "model.py")
    made = loaded(tmp_path / "model.py").model([1.0, 2.0])
    assert {k: m.tolist() for k, m in made.items()} == {"twice": [2, 4], "sum": 3}


# files and text


def test_the_text_has_open_lengths_where_the_graph_leaves_them_open(tmp_path):
    f = theano.function([x], T.tanh(x.dot(W)))
    assert "tensor<?x3xf64>" in theano.export(f, None, format="stablehlo-text")
    theano.export(f, tmp_path / "model.mlir", shapes={x: (5, 3)})
    assert "tensor<5x3xf64>" in (tmp_path / "model.mlir").read_text()


def test_it_is_lowered_for_several_platforms():
    f = theano.function([x], T.tanh(x.dot(W)))
    found = exported(as_function(f, None, None, False), platforms=("cpu", "cuda", "tpu"))
    assert found.platforms == ("cpu", "cuda", "tpu")


def test_expressions_are_exported_as_functions_of_their_inputs(tmp_path):
    n = T.lscalar("n")
    theano.export(
        x * T.arange(n), tmp_path / "model.py", inputs=[x], givens={n: T.constant(np.int64(3))}
    )
    made = loaded(tmp_path / "model.py").model(np.ones((2, 3)))
    np.testing.assert_array_equal(made, [[0, 1, 2]] * 2)


def test_a_refused_function_leaves_the_file_that_was_there(tmp_path):
    path = tmp_path / "model.py"
    path.write_text("before")
    n = T.lscalar("n")
    with pytest.raises(NotImplementedError, match="lengths depend on the value of n"):
        theano.export(theano.function([n], T.zeros(n)), path)
    assert [p.name for p in tmp_path.iterdir()] == ["model.py"]
    assert path.read_text() == "before"


def test_arguments_that_do_not_fit_are_refused_by_the_file(tmp_path):
    theano.export(theano.function([x], x.dot(W)), tmp_path / "model.py")
    model = loaded(tmp_path / "model.py").model
    with pytest.raises(TypeError, match=r"x takes 2 dimensions, got shape \(3,\)"):
        model(np.ones(3))
    with pytest.raises(TypeError, match="x takes float64, got complex128"):
        model(np.ones((2, 3)) * 1j)
    with pytest.raises(ValueError, match=r"x takes shape \(None, 3\), None from 1, got \(2, 4\)"):
        model(np.ones((2, 4)))


def test_a_check_of_the_graph_is_a_check_of_the_file(tmp_path):
    theano.export(theano.function([ints], W[ints]), tmp_path / "model.py")
    with pytest.raises(ValueError, match="a check of AdvancedSubtensor1 fails"):
        loaded(tmp_path / "model.py").model([3])


# refusals


def refusals():
    held = theano.shared(0.0, "held")
    stream = RandomStreams(1)
    n = T.lscalar("n")

    @theano.as_op([T.dvector], [T.dvector])
    def in_python(value):
        return value + 1

    f = theano.function
    return {
        "state": (
            f([], held, updates=[(held, held + 1)]),
            {},
            ValueError,
            r"updates shared variables \(held\) takes params=True",
        ),
        "python": (f([v], in_python(v)), {}, NotImplementedError, "in_python.* runs on the host"),
        "random": (
            f([], stream.uniform((2,))),
            {"params": True},
            NotImplementedError,
            "export takes arrays, and .*MRG",
        ),
        "length": (
            f([n], T.arange(n)),
            {},
            NotImplementedError,
            "lengths depend on the value of n, which a file cannot know",
        ),
        "windows": (
            f([im], T.nnet.conv2d(im, K)),
            {},
            ValueError,
            "AbstractConv2d cannot be written for every length im_0, im_2, im_3"
            ".*'im_0', 2, 'im_2', 'im_3'.*constraints=",
        ),
        "axis": (
            f([x], x * 2),
            {"shapes": {x: (3,)}},
            ValueError,
            r"shapes takes 2 lengths for x, .*got \(3,\)",
        ),
        "input": (
            f([x], x * 2),
            {"shapes": {v: (3,)}},
            ValueError,
            "shapes has v, and the inputs are x",
        ),
        "option": (f([x], x * 2), {"colour": 1}, TypeError, "colour"),
    }


@pytest.mark.parametrize("name", refusals())
@pytest.mark.parametrize("suffix", ["py", "mlir"])
def test_what_cannot_be_written_is_refused_with_the_reason(name, suffix, tmp_path):
    f, options, error, text = refusals()[name]
    with pytest.raises(error, match=f"(?s){text}"):
        theano.export(f, tmp_path / f"model.{suffix}", **options)
    assert not list(tmp_path.iterdir())


def test_a_format_that_is_not_known_is_refused_with_those_that_are(tmp_path):
    f = theano.function([x], x * 2)
    with pytest.raises(ValueError, match=r"export writes numpy \(\.py\), .*model\.zip"):
        theano.export(f, tmp_path / "model.zip")
    with pytest.raises(TypeError, match="format='numpy' takes a path"):
        theano.export(f, None, format="numpy")


def test_what_is_no_function_and_where_there_is_no_folder_is_refused(tmp_path):
    with pytest.raises(TypeError, match="takes a compiled function, or variables, got 3"):
        theano.export(3, tmp_path / "model.py")
    with pytest.raises(
        FileNotFoundError, match=r"writes model\.py into .*none, which is no folder"
    ):
        theano.export(theano.function([x], x * 2), tmp_path / "none" / "model.py")


def test_stablehlo_without_flatbuffers_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "flatbuffers", None)
    with pytest.raises(
        ImportError, match=r"takes flatbuffers: .*; install it: pip install flatbuffers$"
    ):
        theano.export(theano.function([x], x * 2), tmp_path / "model.stablehlo")
