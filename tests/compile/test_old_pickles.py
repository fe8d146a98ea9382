"""Pickles that Theano 1.0.5 made, and the numbers that it gave; see the script beside them."""

import io
import json
import lzma
import pickle
import pickletools
import warnings
from pathlib import Path

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.ifelse import ifelse
from theano.misc import pkl_utils

GOLDEN = Path(__file__).parents[1] / "golden" / "pickles_of_theano_1.0.5"
NUMBERS = json.loads((GOLDEN / "numbers.json").read_text())


def loads(raw):
    with warnings.catch_warnings():
        # arrays that an older NumPy pickled name its internal modules
        warnings.filterwarnings("ignore", "numpy.core", DeprecationWarning)
        return pickle.loads(raw)


def stored(name):
    return loads(lzma.decompress((GOLDEN / f"{name}.pkl.xz").read_bytes()))


GRAPHS = dict(stored("graphs"))
REFUSED = {"scan"}


@pytest.mark.parametrize("protocol", [0, 2, 3, 4, 5, "zip"])
def test_shared_variables_are_read(protocol):
    if protocol == "zip":
        with (GOLDEN / "shared.zip").open("rb") as file:
            found = pkl_utils.load(file)
    else:
        found = stored(f"shared_{protocol}")
    told = [[v.name, v.dtype, list(v.broadcastable), v.get_value().tolist()] for v in found]
    assert told == NUMBERS["shared"]
    w = found[0]
    f = theano.function([], w.sum(), updates=[(w, w * 2)])
    assert f() == 15.0 and f() == 30.0 and w.get_value().dtype == "float32"


@pytest.mark.parametrize("name", sorted(GRAPHS.keys() - REFUSED))
def test_a_graph_means_what_it_meant(name):
    inputs, out = loads(GRAPHS[name])
    f = theano.function(inputs, out, on_unused_input="ignore")
    values = {k: np.array(v, dtype) for k, (dtype, v) in NUMBERS["inputs"].items()}
    got = f(*[values[v.name] for v in inputs])
    expected = NUMBERS["graphs"][name]
    assert str(got.dtype) == out.type.dtype == expected["dtype"]
    # different orders of sums, and other routines of NumPy and SciPy
    digits = 1e-12 if got.dtype != "float32" else 1e-6
    np.testing.assert_allclose(got, expected["value"], rtol=digits, atol=digits)


MADE_HERE = {
    "softmax": lambda x, m, i: T.nnet.softmax(m) + T.nnet.logsoftmax(m),
    "functions": lambda x, m, i: (
        T.log1p(T.exp(x)) + T.tanh(x) * T.sqr(x) + abs(x) - T.sgn(-x) + T.erf(x)
    ),
    "dimshuffle": lambda x, m, i: (
        m.dimshuffle("x", 1, 0) * m.T + m.T.dimshuffle(0, "x", 1).sum(acc_dtype="float64")
    ),
    "choice": lambda x, m, i: ifelse(i > 0, x * 2, x - 1),
}


@pytest.mark.parametrize("name", MADE_HERE)
def test_a_graph_equals_one_that_is_made_here(name):
    """So that gradients and rules know it."""
    (x, m, i, *_), out = loads(GRAPHS[name])
    assert theano.gof.graph.equal_computations([out], [MADE_HERE[name](x, m, i)])


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_cannot_be_read_says_what_to_do(name):
    with pytest.raises(pickle.UnpicklingError, match=r"Theano 1\.0\.5, save what get_value\(\)"):
        loads(GRAPHS[name])


def test_nodes_ops_types_and_constants_are_read():
    node, exp, add, dvector, row = stored("node")
    assert node.op == exp == T.exp and add == T.add and dvector == T.dvector
    assert row == T.TensorType("int8", [True]) and hash(row) == hash(T.TensorType("int8", [True]))
    one, c, two = stored("constants")
    assert one.eval() == 1.5 and one.dtype == "float32" and two.dtype == "int8"
    assert c.name == "c" and c.data.tolist() == [0, 1, 2]
    assert T.constant(np.arange(3)).equals(c)


def test_an_activation_that_was_pickled_can_be_called():
    _, exp, _, _, _ = stored("node")
    x = T.dscalar("x")
    assert exp(x).eval({x: 0.0}) == 1.0 and T.grad(exp(x), x).eval({x: 0.0}) == 1.0


def test_sparse_and_other_shared_values_are_read():
    sparse, other = stored("other")
    assert sparse.get_value().toarray().tolist() == np.diag([2.0, 2.0, 2.0]).tolist()
    assert other.get_value() == {"a": 1}


def test_functions_are_made_anew_with_what_they_share():
    step, read, default, state, w = stored("functions")
    expected = NUMBERS["functions"]
    assert step([1.0, 2.0]) == expected["step"] and step.name == "step"
    np.testing.assert_allclose(read([0.0, 1.0]), expected["read"], rtol=1e-15)
    assert w.get_value().tolist() == expected["w"]
    assert [v.tolist() for v in default()] == expected["default"]
    assert [state()["s"], state()["s"]] == expected["state"]
    with theano.config.change_flags(unpickle_function=False):
        assert stored("functions")[:4] == [None] * 4


def test_numpy_streams_go_on_bit_for_bit():
    f, rng = stored("streams")
    assert [v.tolist() for v in f()] == NUMBERS["streams"]
    assert theano.function([], rng.uniform((2,)))().tolist() == NUMBERS["late streams"]


def test_mrg_streams_go_on():
    f, rng = stored("mrg")
    for got, expected in zip(f(), NUMBERS["mrg"], strict=True):
        # normal numbers of them go through log and cos
        np.testing.assert_allclose(got, expected, rtol=1e-13)
    late = theano.function([], rng.uniform((2,), nstreams=2))()
    assert late.tolist() == NUMBERS["late mrg"]


def test_a_report_of_1_0_runs():
    f = theano.function(**stored("function_dump"))
    assert f.name == "reported" and f([[1.0, 1.0]]).tolist() == [3.0]
    assert f([[1.0, 1.0]]).tolist() == [6.0]


def as_python_2(raw):
    """A pickle of protocol 2 with the strings of Python 2, which were bytes."""
    found, ends = bytearray(), [at for _, _, at in pickletools.genops(raw)][1:] + [len(raw)]
    for (op, text, at), end in zip(pickletools.genops(raw), ends, strict=True):
        if op.name == "BINUNICODE" and text.isascii():
            found += b"T" + len(text).to_bytes(4, "little") + text.encode()
        else:
            found += raw[at:end]
    return bytes(found)


def test_variables_that_python_2_pickled_are_read():
    raw = as_python_2(lzma.decompress((GOLDEN / "shared_2.pkl.xz").read_bytes()))
    assert b"T\x09\x00\x00\x00container" in raw
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "numpy.core", DeprecationWarning)
        found = pkl_utils.CompatUnpickler(io.BytesIO(raw), encoding="latin1").load()
    assert [v.get_value().tolist() for v in found] == [told[3] for told in NUMBERS["shared"]]


def test_leftovers_cannot_be_made():
    with pytest.raises(TypeError, match=r"pickles of Theano 1\.0"):
        theano.gof.opt.MergeFeature()
