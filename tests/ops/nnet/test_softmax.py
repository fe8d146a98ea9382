"""Softmax, its logarithm, log(sum(exp(x))) and logarithms in tails: values by mpmath."""

import math
import pickle

import mpmath as mp
import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.ops.exact import by_mpmath, to_float
from theano._src.ops.elementwise import log_special
from theano._src.ops.nnet.softmax import LogSumExp
from theano.tensor import nnet
from theano.testing import Case, OpSpec, Raises, spec_tests

inf, nan = math.inf, math.nan
rng = np.random.default_rng(5)
X2, X3 = rng.uniform(-3, 3, (3, 4)), rng.uniform(-3, 3, (2, 3, 4))


def along(fn):
    """A function of lists of numbers, applied along axes of an array, in mpmath."""

    def reference(x, axis=None):
        x = np.asarray(x)
        if axis is None:
            axis, x = -1, np.atleast_2d(x)
        axes = sorted(a % x.ndim for a in ([axis] if isinstance(axis, int) else axis))
        kept = [i for i in range(x.ndim) if i not in axes]
        lines = np.transpose(x, kept + axes).reshape([x.shape[i] for i in kept] + [-1])
        out = np.empty(lines.shape, x.dtype)
        for at in np.ndindex(*lines.shape[:-1]):
            out[at] = [float(v) for v in fn([mp.mpf(float(v)) for v in lines[at]])]
        back = out.reshape([x.shape[i] for i in kept + axes])
        return np.transpose(back, np.argsort(kept + axes))

    return reference


def softmax(row):
    total = mp.fsum(mp.exp(v) for v in row)
    return [mp.exp(v) / total for v in row]


def log_softmax(row):
    total = mp.log(mp.fsum(mp.exp(v) for v in row))
    return [v - total for v in row]


def log_sum_exp(x, axis=None):
    x = np.asarray(x)
    axes = range(x.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    kept = [i for i in range(x.ndim) if i not in axes]
    lines = np.transpose(x, kept + list(axes)).reshape([x.shape[i] for i in kept] + [-1])
    out = np.empty(lines.shape[:-1], x.dtype)
    for at in np.ndindex(*out.shape):
        out[at] = float(mp.log(mp.fsum(mp.exp(mp.mpf(float(v))) for v in lines[at])))
    return out


CASES = [
    Case(X2, id="matrix"),
    Case(X2.astype("float32"), id="float32"),
    Case(X2.astype("float16"), id="float16"),
    Case(X2[0], id="a vector is a row"),
    Case(np.array([[1000.0, 1001.0], [-1000.0, 1000.0], [3.0, 3.0]]), id="far out"),
    Case(X2, kwargs={"axis": 0}, id="columns"),
    Case(X2[0], kwargs={"axis": -1}, id="a vector along its axis"),
    Case(X3, kwargs={"axis": 1}, id="the middle of three"),
    Case(X3, kwargs={"axis": (0, 2)}, id="two of three"),
]
SUMS = [Case(X3, kwargs={"axis": a}, id=f"axis={a}") for a in (None, 0, (0, 2))] + [
    Case(X2.astype("float32"), kwargs={"axis": 1}, id="float32")
]
NO_FLOATS = [
    Raises((np.arange(4).reshape(2, 2),), ValueError, "takes a 1-d or 2-d tensor of floats"),
    Raises((X3,), ValueError, "name the axis"),
]


def logsumexp_op(x, axis=None):
    return LogSumExp(axis)(x)


# fmt: off
SPECS = [
    OpSpec(nnet.softmax, along(softmax), cases=CASES, errors=NO_FLOATS),
    OpSpec(nnet.logsoftmax, along(log_softmax), cases=CASES, errors=NO_FLOATS),
    OpSpec(logsumexp_op, log_sum_exp, cases=SUMS),
    OpSpec(log_special.log1mexp, by_mpmath(lambda x: mp.log(1 - mp.exp(x))),
           dtypes=("float32", "float64"), out_dtype=to_float, domain=(-5, -0.1),
           special=[(0.0, -inf), (-inf, -0.0), (1.0, nan), (nan, nan)]),
    OpSpec(log_special.log_expm1, by_mpmath(lambda x: mp.log(mp.expm1(x))),
           dtypes=("float32", "float64"), out_dtype=to_float, domain=(0.1, 5),
           special=[(0.0, -inf), (inf, inf), (-1.0, nan), (nan, nan), (800.0, 800.0)]),
    OpSpec(log_special.log_cosh, by_mpmath(lambda x: mp.log(mp.cosh(x))),
           dtypes=("float32", "float64"), out_dtype=to_float, domain=(-5, 5),
           special=[(0.0, 0.0), (inf, inf), (-inf, inf), (nan, nan)]),
    OpSpec(log_special.log_erfc, by_mpmath(lambda x: mp.log(mp.erfc(x))),
           dtypes=("float32", "float64"), out_dtype=to_float, domain=(-3, 5),
           special=[(0.0, -0.0), (inf, -inf), (nan, nan)]),
]
# fmt: on


def test_ops_print_as_theano_does():
    assert str(nnet.softmax_op) == "Softmax" and str(nnet.logsoftmax_op) == "LogSoftmax"
    assert str(nnet.Softmax(axis=0)) == "Softmax{axis=[0]}"
    x = T.dmatrix("x")
    assert theano.pp(nnet.logsoftmax(x)) == "LogSoftmax(x)"


def test_the_rows_of_a_matrix_are_the_documented_op_however_they_are_named():
    x = T.dmatrix("x")
    assert nnet.softmax(x, axis=-1).owner.op == nnet.softmax(x).owner.op == nnet.softmax_op
    assert nnet.softmax(x, axis=0).owner.op != nnet.softmax_op


def test_a_vector_gives_a_matrix_of_one_row():
    assert nnet.softmax(T.dvector("x")).type == T.drow
    assert nnet.softmax(T.dvector("x"), axis=0).type == T.dvector


def test_ops_can_be_pickled():
    for op in (nnet.softmax_op, nnet.LogSoftmax(0), nnet.softmax_grad, LogSumExp((0, 1))):
        assert pickle.loads(pickle.dumps(op)) == op


@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_infinities_and_nothing_are_as_in_theano(engine):
    x = T.dmatrix("x")
    f = theano.function([x], [nnet.softmax(x), nnet.logsoftmax(x)], mode=theano.Mode(engine))
    for y in f([[inf, 1.0], [-inf, -inf], [nan, 1.0]]):
        assert np.isnan(y).all()
    one, log_one = f([[0.0, -inf]])
    assert one.tolist() == [[1.0, 0.0]] and log_one.tolist() == [[0.0, -inf]]
    assert [y.shape for y in f(np.zeros((2, 0)))] == [(2, 0)] * 2
    assert [y.shape for y in f(np.zeros((0, 2)))] == [(0, 2)] * 2


@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_derivatives_go_by_their_definition_both_ways_and_twice(engine):
    x, v = T.dmatrix("x"), T.dmatrix("v")
    w = np.random.default_rng(1).normal(size=(2, 3))
    p = nnet.softmax(x)
    makes = [(p * w).sum(), (nnet.logsoftmax(x) * w).sum(), (p**2 * w).sum()]
    outs = []
    for cost in makes:
        g = T.grad(cost, x)
        outs += [(g * v).sum(), T.Rop(cost, x, v), (T.grad((g * v).sum(), x) * v).sum(), cost]
    f = theano.function([x, v], outs, mode=theano.Mode(engine))
    at, way = np.random.default_rng(2).normal(size=(2, 2, 3))
    h = 1e-4
    left, mid, right = (np.array(f(at + s * h * way, way)).reshape(-1, 4) for s in (-1, 0, 1))
    slope = (right[:, 3] - left[:, 3]) / (2 * h)
    bend = (right[:, 0] - left[:, 0]) / (2 * h)
    np.testing.assert_allclose(mid[:, 0], slope, rtol=1e-6)
    np.testing.assert_allclose(mid[:, 1], mid[:, 0], rtol=1e-12)
    np.testing.assert_allclose(mid[:, 2], bend, rtol=1e-6)


def test_many_softmaxes_run_at_once_in_a_jacobian():
    x = T.dvector("x")
    p = nnet.softmax(x, axis=0)
    made = theano.function([x], theano.gradient.jacobian(p, x))(X2[0])
    y = np.array(along(softmax)(X2[0], 0))
    np.testing.assert_allclose(made, np.diag(y) - np.outer(y, y), rtol=1e-12, atol=1e-15)


test_ops = spec_tests(SPECS)
