"""Softmax written with its shift is the op that shifts by itself, and its gradient is plain."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.ops.nnet.softmax import LogSoftmax, LogSumExp, Softmax
from theano._src.ops.reduce.careduce import Max

inf, nan = np.inf, np.nan
ROWS = np.array([[1.0, 2, 3], [1000, -1000, 0], [0, 0, 0], [-inf, 0, 1], [5, 5, -inf]])


def written(x, axis=1):
    """Log-softmax as users write it where nobody gives them one."""
    z = x - x.max(axis=axis, keepdims=True)
    return z - T.log(T.exp(z).sum(axis=axis, keepdims=True))


def ops(f):
    return [type(node.op) for node in f.maker.fgraph.toposort()]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_log_softmax_written_out_is_one_node(axis, dtype):
    x = T.matrix("x", dtype=dtype)
    f = theano.function([x], written(x, axis))
    assert ops(f) == [LogSoftmax]
    a = np.random.default_rng(0).normal(size=(3, 4)).astype(dtype)
    expected = a - np.log(np.exp(a.astype("float64")).sum(axis=axis, keepdims=True))
    np.testing.assert_allclose(f(a), expected, rtol=1e-6 if dtype == "float32" else 1e-13)


@pytest.mark.parametrize("mode", ["numpy", "xla"])
def test_infinite_elements_give_what_the_formula_gives(mode):
    x = T.dmatrix("x")
    f = theano.function([x], written(x), mode=theano.Mode(mode))
    plain = theano.function([x], written(x), mode=theano.Mode("numpy", optimizer=None))
    a = np.array([*ROWS, [inf, 1, 2], [-inf, -inf, -inf], [nan, 1, 2], [-inf, inf, 0]])
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(f(a), plain(a), rtol=1e-13, atol=1e-300)


def test_what_was_shifted_by_something_else_stays_shifted():
    x, c = T.dmatrix("x"), T.dvector("c")
    by_column = x - x.max(axis=0, keepdims=True)
    f = theano.function([x, c], [T.nnet.softmax(by_column), T.nnet.softmax(x - c)])
    assert Max in ops(f) and ops(f).count(Softmax) == 2
    z = x - x.max(axis=1, keepdims=True)
    g = theano.function([x], z - T.log(T.exp(z).sum(axis=0, keepdims=True)))
    assert LogSumExp in ops(g) and LogSoftmax not in ops(g)


def test_the_gradient_has_no_path_through_the_largest_element():
    x, t = T.dmatrix("x"), T.lvector("t")
    cost = -written(x)[T.arange(t.shape[0]), t].mean()
    f = theano.function([x, t], T.grad(cost, x))
    assert Max not in ops(f)
    a, k = np.random.default_rng(1).normal(size=(4, 3)), np.array([2, 0, 0, 1])
    share = np.exp(a) / np.exp(a).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(f(a, k), (share - np.eye(3)[k]) / 4, rtol=1e-13)


def test_a_sum_that_is_not_that_of_the_slopes_still_goes_back_through_the_largest():
    x, g = T.dmatrix("x"), T.dmatrix("g")
    top = T.eq(x, x.max(axis=1, keepdims=True))
    slopes = g - g.sum(axis=1, keepdims=True) * T.nnet.softmax(x)
    for sums in ((slopes + x).sum(axis=1), slopes.sum(axis=0)):
        f = theano.function([x, g], T.switch(top, sums.dimshuffle(0, "x"), 0))
        assert Max in ops(f)


@pytest.mark.parametrize("mode", ["numpy", "xla"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_large_and_small_matrices_have_the_same_digits(mode, dtype):
    # rows of all kinds, of which some are nearly all in one element, and a matrix of many columns
    # more that add nothing: sums of large ones are taken in another way
    x = T.matrix("x", dtype=dtype)
    f = theano.function([x], [T.nnet.logsoftmax(x), LogSumExp((1,))(x)], mode=theano.Mode(mode))
    rows = np.array([*ROWS, [0, -40, -30], [40, 1, 1], [inf, 1, 2], [-inf] * 3, [nan, 1, 2]], dtype)
    wide = np.concatenate([rows, np.full((len(rows), 5000), -inf, dtype)], axis=1)
    (small, sums), (large, large_sums) = f(rows), f(wide)
    np.testing.assert_allclose(large[:, :3], small, rtol=4 * np.finfo(dtype).eps)
    np.testing.assert_allclose(large_sums, sums, rtol=4 * np.finfo(dtype).eps)
    assert 0 < -small[5, 0] < 2e-13


@pytest.mark.parametrize("mode", ["numpy", "xla"])
def test_a_large_matrix_of_which_no_row_is_near_one_element_is_right(mode):
    x = T.dmatrix("x")
    f = theano.function([x], [T.nnet.logsoftmax(x), LogSumExp((1,))(x)], mode=theano.Mode(mode))
    a = np.random.default_rng(2).normal(size=(30, 1000))
    made, sums = f(a)
    np.testing.assert_allclose(sums, np.log(np.exp(a).sum(axis=1)), rtol=1e-13)
    np.testing.assert_allclose(made, a - sums[:, None], rtol=1e-13)
