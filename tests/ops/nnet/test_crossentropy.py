"""Crossentropies, with and without the softmax before: values by mpmath, failures, gradients."""

import math
import pickle

import mpmath as mp
import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.ops.exact import by_mpmath, to_float
from theano._src.ops.nnet.crossentropy import (
    CrossentropySoftmax1Hot,
    CrossentropySoftmax1HotWithBiasDx,
)
from theano.tensor import nnet
from theano.testing import Case, OpSpec, Raises, spec_tests

inf, nan = math.inf, math.nan
rng = np.random.default_rng(9)
X = rng.uniform(-3, 3, (3, 4))
B = rng.uniform(-1, 1, 4)
Y = np.array([2, 0, 3])
P = rng.uniform(0.1, 1, (3, 4))
FAR = np.array([[1000.0, 0.0, -1000.0], [0.0, -800.0, 3.0], [5.0, 5.0, 5.0], [0.0, -60.0, -70.0]])


def row_of(scores):
    """softmax of one row, in mpmath."""
    scores = [mp.mpf(float(v)) for v in scores]
    total = mp.fsum(mp.exp(v) for v in scores)
    return [mp.exp(v) / total for v in scores]


def with_softmax(x, y):
    with mp.workdps(60):
        sm = [row_of(r) for r in x]
        nll = [float(-mp.log(r[int(k)])) for r, k in zip(sm, y, strict=False)]
    return [np.array(nll, x.dtype), np.array([[float(v) for v in r] for r in sm], x.dtype)]


def with_bias(x, b, y):
    best = [int(np.argmax(r + b)) for r in x]
    return [*with_softmax(x + b, y), np.array(best, y.dtype)]


def softmax_of_sum(x, b):
    return with_softmax((x + b).astype(x.dtype), [])[1]


def dx(dy, sm, y):
    out = np.array(sm)
    for i, k in enumerate(y):
        out[i, int(k)] -= 1
    return out * np.reshape(dy, (-1, 1))


def rows_before(dy, sm, y):
    """As dx, for classes of the first rows alone; those below 0 count from the last."""
    out = np.zeros_like(sm)
    for i, k in enumerate(y):
        out[i] = sm[i] * dy[i]
        out[i, int(k)] -= dy[i]
    return out


def categorical(p, y):
    return np.array([-math.log(p[i, int(k)]) for i, k in enumerate(y)])


def categorical_grad(g, p, y):
    out = np.zeros_like(p)
    for i, k in enumerate(y):
        out[i, int(k)] = -g[i] / p[i, int(k)]
    return out


def indexed(x, y):
    return CrossentropySoftmax1Hot(indexed=True)(x, y)


def indexed_dx(dy, sm, y):
    return CrossentropySoftmax1HotWithBiasDx(indexed=True)(dy, sm, y)


def binary(o, t):
    return -(t * mp.log(o) + (1 - t) * mp.log(1 - o))


def of_sigmoid(x, t):
    return t * mp.log1p(mp.exp(-x)) + (1 - t) * mp.log1p(mp.exp(x))


def rows(x, t):
    return np.array(
        [
            -math.fsum(a * math.log(b) for a, b in zip(*r, strict=True))
            for r in zip(t, x, strict=True)
        ]
    )


def first(*dtypes):
    return dtypes[0]


SOFT = [
    Case(X, Y, id="float64"),
    Case(X.astype("float32"), Y.astype("int32"), id="float32"),
    Case(X.astype("float16"), Y.astype("int8"), id="float16"),
    Case(FAR, np.array([2, 1, 0, 0], "uint8"), id="far out", grad="none: too far for differences"),
]
SHORT = [Case(X, np.array([-1, 1]), id="from the end"), Case(X, Y, id="all rows")]
OUT = "y_i value out of bounds"
CLASSES = [
    Raises((X, Y.reshape(1, 3)), ValueError, "vector of integers"),
    Raises((X, Y.astype("float64")), ValueError, "vector of integers"),
    Raises((B, Y), ValueError, "2-d tensor of floats as x"),
    Raises((X.astype(int), Y), ValueError, "2-d tensor of floats as x"),
    Raises((X, np.array([0, 1, 4])), ValueError, OUT, when="run"),
    Raises((X, np.array([0, 1, -1])), ValueError, OUT, when="run"),
    Raises((X, np.array([0, 1])), ValueError, "as many rows as x", when="run"),
    Raises((np.zeros((3, 0)), Y), ValueError, "at least one column", when="run"),
]

# fmt: off
SPECS = [
    OpSpec(nnet.crossentropy_softmax_1hot, with_softmax, cases=SOFT, errors=CLASSES),
    OpSpec(indexed, with_softmax, cases=SHORT, errors=[
        Raises((X, np.array([0, -5, 1])), IndexError, "index -5 is out of bounds for axis 1",
               when="run"),
        Raises((X, np.array([4])), IndexError, "index 4 is out of bounds for axis 1", when="run"),
        Raises((X, np.zeros(4, int)), IndexError, "index 3 is out of bounds for axis 0",
               when="run"),
    ]),
    OpSpec(nnet.crossentropy_softmax_argmax_1hot_with_bias, with_bias, cases=[
        Case(X, B, Y, id="float64"),
        Case(X.astype("float32"), B.astype("float32"), Y.astype("int32"), id="float32"),
    ], errors=[
        Raises((X, X, Y), ValueError, "1-d tensor of floats as b"),
        Raises((X, B[:1], Y), ValueError, "as many elements as x has columns", when="run"),
        Raises((X, B[:3], Y), ValueError, "as many elements as x has columns", when="run"),
    ]),
    OpSpec(nnet.crossentropy_softmax_1hot_with_bias_dx, dx, cases=[
        Case(np.array([1.0, -2.0, 0.5]), P, Y, id="vector"),
        Case(np.float64(0.5), P, Y, id="scalar"),
        Case(np.array([1.0, -2.0, 0.5], "float32"), P.astype("float32"), Y, id="float32"),
    ], errors=[
        Raises((X, P, Y), ValueError, "1-d tensor of floats as dy"),
        Raises((B, P, Y), ValueError, "as many elements as there are classes", when="run"),
        Raises((B[:3], P, np.array([0, 1, 4])), ValueError, OUT, when="run"),
    ]),
    OpSpec(indexed_dx, rows_before, cases=[
        Case(np.array([1.0, -2.0]), P, np.array([-1, 1]), id="fewer classes than rows"),
        Case(np.array([1.0, -2.0, 0.5]), P, Y, id="as many"),
    ]),
    OpSpec(nnet.softmax_with_bias, softmax_of_sum, cases=[
        Case(X, B, id="float64"),
        Case(X.astype("float32"), B.astype("float32"), id="float32"),
    ], errors=[
        Raises((B, B), ValueError, "matrix of floats as x"),
        Raises((X, X), ValueError, "vector of floats as b"),
        Raises((X, B[:1]), ValueError, "as many elements as x has columns", when="run"),
    ]),
    OpSpec(nnet.crossentropy_categorical_1hot, categorical, out_dtype=first, cases=[
        Case(P, Y, id="float64"), Case(P.astype("float32"), Y.astype("int8"), id="float32"),
    ], errors=[
        Raises((B, Y), TypeError, "matrix as coding_dist"),
        Raises((P, P[0]), TypeError, "integer vector as true_one_of_n"),
        Raises((P, np.array([0, 1, 4])), ValueError, OUT, when="run"),
        Raises((P, np.array([0, 1, -1])), ValueError, OUT, when="run"),
        Raises((P, np.zeros(4, int)), ValueError, "as many rows as x", when="run"),
    ]),
    OpSpec(nnet.crossentropy_categorical_1hot_grad, categorical_grad, cases=[
        Case(np.array([1.0, -2.0, 0.5]), P, Y, id="float64"),
    ], errors=[Raises((B, P, Y), ValueError, "one g_y for each class", when="run")]),
    OpSpec(nnet.categorical_crossentropy, rows, out_dtype=first, cases=[
        Case(P, P / 2, id="float64"), Case(P.astype("float32"), P.astype("float32"), id="float32"),
    ], errors=[Raises((P, np.float64(1.0)), TypeError, "as many dimensions as coding_dist")]),
    OpSpec(nnet.binary_crossentropy, by_mpmath(binary), nin=2, dtypes=("float32", "float64"),
           domain=[(0.1, 0.9), (0, 1)],
           out_dtype={("float32", "float32"): "float32", ("float64", "float64"): "float64"}),
    OpSpec(nnet.sigmoid_binary_crossentropy, by_mpmath(of_sigmoid), nin=2,
           dtypes=("float32", "float64"), domain=[(0.5, 9), (0, 1)], out_dtype=to_float,
           special=[((1000.0, 0.0), 1000.0), ((1000.0, 1.0), 0.0), ((-1000.0, 1.0), 1000.0),
                    ((inf, 0.0), inf), ((inf, 1.0), nan), ((nan, 0.0), nan)]),
]
# fmt: on


@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_what_has_no_largest_score_is_nan_as_in_theano(engine):
    x, b, y = T.dmatrix("x"), T.dvector("b"), T.ivector("y")
    op = nnet.crossentropy_softmax_argmax_1hot_with_bias
    f = theano.function([x, b, y], op(x, b, y), mode=theano.Mode(engine))
    nll, sm, _ = f([[inf, 1, 2], [nan, 1, 2], [-inf, -inf, -inf]], [0, 0, 0], [0, 0, 0])
    assert np.isnan(nll).all() and np.isnan(sm).all()
    nll, sm, best = f([[-inf, -inf, 1.0], [-inf, 0.0, 0.0]], [0, 0, 0], [0, 2])
    assert nll.tolist() == [inf, math.log(2)]
    assert sm.tolist() == [[0, 0, 1], [0, 0.5, 0.5]] and best.tolist() == [2, 1]
    nll, sm, best = f(np.zeros((0, 3)), [0, 0, 0], np.zeros(0, "int32"))
    assert nll.shape == best.shape == (0,) and sm.shape == (0, 3)


@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_the_order_of_memory_does_not_matter(engine):
    x, b, y = T.dmatrix("x"), T.dvector("b"), T.lvector("y")
    mode = theano.Mode(engine)
    op, slope = nnet.crossentropy_softmax_argmax_1hot_with_bias, CrossentropySoftmax1HotWithBiasDx()
    many = [*op(x, b, y), *nnet.crossentropy_softmax_1hot(x, y), slope(y * 1.0, x, y)]
    f = theano.function([x, b, y], many, mode=mode)
    wide = np.zeros((6, 8))
    wide[::2, ::2] = X
    want = [*with_bias(X, B, Y), *with_softmax(X, Y), dx(Y * 1.0, X, Y)]
    for at in (X, np.asfortranarray(X), wide[::2, ::2]):
        for got, expected in zip(f(at, B, Y), want, strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-13)
    g = theano.function([x, b, y], [v * 1 for v in op(x.T, b, y)], mode=mode)
    for got, expected in zip(g(X.T.copy(), B, Y), want[:3], strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-13)


def test_the_logarithm_keeps_its_digits_where_the_softmax_is_1():
    x, y = T.dmatrix("x"), T.lvector("y")
    nll = nnet.crossentropy_softmax_1hot(x, y)[0]
    for engine in ("numpy", "xla"):
        f = theano.function([x, y], nll, mode=theano.Mode(engine))
        made = f([[0.0, -50.0, -60.0]], [0])
        assert abs(made[0] / (math.exp(-50) + math.exp(-60)) - 1) < 1e-13
        # so many that XLA looks for such rows first
        many = np.full((3, 8000), -800.0)
        many[0, :2], many[1, 5], many[2] = (0.0, -50.0), 3.0, 7.0
        made = f(many, [0, 5, 1])
        want = [math.exp(-50), 0.0, math.log(8000)]
        np.testing.assert_allclose(made, want, rtol=1e-13, atol=1e-300)
        assert f(many[1:], [5, 1])[0] == 0 and f(many[2:], [1])[0] == made[2]


def test_types_are_those_of_theano():
    f, b, fb = T.fmatrix(), T.dvector(), T.fvector()
    op = nnet.crossentropy_softmax_argmax_1hot_with_bias
    for y, best in [("int32", "int32"), ("int64", "int64"), ("int8", "int64"), ("bool", "int64")]:
        outs = op(f, b, T.vector(dtype=y))
        assert [v.dtype for v in outs] == ["float32", "float32", best]
    assert nnet.softmax_with_bias(f, b).type == T.fmatrix
    assert nnet.softmax_with_bias(T.drow(), fb).type == T.drow
    assert nnet.categorical_crossentropy(T.dtensor3(), T.dtensor3()).type == T.dmatrix
    assert nnet.categorical_crossentropy(b, b).type == T.dscalar
    assert nnet.crossentropy_softmax_1hot(x=T.dmatrix(), y_idx=T.ivector())[0].type == T.dvector
    names = [v.name for v in nnet.crossentropy_softmax_max_and_argmax_1hot(f, T.ivector())]
    assert names == [None, None, "max", "argmax"]


def test_ops_print_as_theano_does_and_can_be_pickled():
    names = [
        "crossentropy_softmax_argmax_1hot_with_bias",
        "crossentropy_softmax_1hot_with_bias_dx",
        "crossentropy_categorical_1hot",
        "crossentropy_categorical_1hot_grad",
        "softmax_with_bias",
    ]
    for name in names:
        op = getattr(nnet, name)
        assert str(op) == type(op).__name__ and pickle.loads(pickle.dumps(op)) == op
    assert CrossentropySoftmax1Hot(True) != CrossentropySoftmax1Hot()


def test_what_an_argmax_is_taken_of_gets_no_gradient():
    x, b, y = T.dmatrix("x"), T.dvector("b"), T.ivector("y")
    best = nnet.crossentropy_softmax_argmax_1hot_with_bias(x, b, y)[2]
    with (
        pytest.warns(UserWarning, match="integers have no derivative"),
        pytest.raises(theano.gradient.DisconnectedInputError),
    ):
        T.grad(best.sum(), x)


def test_gradients_of_both_outputs_add_up():
    x, b, y = T.dmatrix("x"), T.dvector("b"), T.ivector("y")
    nll, sm, _ = nnet.crossentropy_softmax_argmax_1hot_with_bias(x, b, y)
    f = theano.function([x, b, y], T.grad((sm**2).sum() + nll.sum(), [x, b]))
    gx, gb = f([[1.0, 2, 3], [0, 0, 0]], [0, 0, 0], [0, 2])
    # recorded from Theano 1.0.5 for sum(nll); that of softmax squared by its definition
    p = np.array(with_softmax(np.array([[1.0, 2, 3], [0, 0, 0]]), [0, 0])[1])
    want = dx(np.ones(2), p, [0, 2]) + 2 * p * (p - (p * p).sum(1, keepdims=True))
    np.testing.assert_allclose(gx, want, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(gb, want.sum(0), rtol=1e-13, atol=1e-15)


test_ops = spec_tests(SPECS)
