"""Diagonal stripes across two dimensions, element by element."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.tensor.nnet import conv3d2d as C
from theano.testing import Case, OpSpec, Raises, spec_tests

rng = np.random.default_rng(5)
X = rng.normal(size=(5, 3, 2))


def places(shape, i0, i1):
    """Pairs of an index of the stripe and the index of the array that it reads."""
    made = list(shape)
    made[i0] -= shape[i1] - 1
    for at in np.ndindex(*made):
        there = list(at)
        there[i0] += shape[i1] - 1 - at[i1]
        yield tuple(made), at, tuple(there)


def stripe(x, i0, i1):
    found = list(places(x.shape, int(i0), int(i1)))
    out = np.zeros(found[0][0], x.dtype)
    for _, at, there in found:
        out[at] = x[there]
    return out


def added(x, i0, i1, amt):
    out = np.array(x)
    for _, at, there in places(x.shape, int(i0), int(i1)):
        out[there] += amt[at]
    return out


HOST = "host: the dimensions are values"
# fmt: off
SPECS = [
    OpSpec(C.diagonal_subtensor, stripe, name="diagonal_subtensor", cases=[
        Case(X, 0, 1, static=(1, 2), id="0, 1"), Case(X, 0, 2, static=(1, 2), id="0, 2"),
        Case(X, 1, 2, static=(1, 2), id="1, 2"),
        Case(X.astype("float32"), 0, 1, static=(1, 2), id="float32"),
    ], xla=HOST, sizes="none: dimensions are given",
       errors=[
        Raises((X, 0.5, 1), TypeError, "takes an integer as dimension"),
        Raises((X, 1, 0), NotImplementedError, "as long as the one it crosses", when="run"),
    ]),
    OpSpec(C.inc_diagonal_subtensor, added, name="inc_diagonal_subtensor", cases=[
        Case(X, 0, 1, stripe(X, 0, 1), static=(1, 2), id="0, 1"),
        Case(X, 1, 2, stripe(X, 1, 2), static=(1, 2), id="1, 2"),
    ], xla=HOST, sizes="none: dimensions are given"),
]
# fmt: on


def test_a_view_of_a_stripe_shares_memory_with_the_array():
    x = np.arange(20.0).reshape(5, 4)
    view = C.get_diagonal_subtensor_view(x, 0, 1)
    assert np.shares_memory(view, x)
    np.testing.assert_array_equal(view, [[12, 9, 6, 3], [16, 13, 10, 7]])


def test_the_dimensions_may_be_variables():
    x, i, j = T.dtensor3(), T.iscalar(), T.iscalar()
    out = C.diagonal_subtensor(x, i, j)
    f = theano.function([x, i, j], [out, out.shape, T.grad((out**2).sum(), x)])
    for axes in ((0, 1), (1, 2)):
        part = stripe(X, *axes)
        got, lengths, slope = f(X, *axes)
        np.testing.assert_array_equal(got, part)
        assert tuple(lengths) == part.shape
        np.testing.assert_array_equal(slope, added(np.zeros_like(X), *axes, 2 * part))


def test_the_forms_in_place_mean_the_same():
    x, amt = T.dtensor3(), T.dtensor3()
    outs = [C.DiagonalSubtensor(True)(x, 0, 1), C.IncDiagonalSubtensor(True)(x + 0, 0, 1, amt)]
    f = theano.function([x, amt], outs, accept_inplace=True)
    part = stripe(X, 0, 1)
    got = f(X, part)
    np.testing.assert_array_equal(got[0], part)
    np.testing.assert_array_equal(got[1], added(X, 0, 1, part))
    assert str(C.DiagonalSubtensor(True)) == "DiagonalSubtensor{inplace}"


def test_shapes_are_asserted_if_the_flag_is_set(monkeypatch):
    x, n = T.dmatrix(), T.iscalar()
    assert_shape = theano.tensor.nnet.abstract_conv.assert_shape
    assert assert_shape(x, (n, 3)) is x
    monkeypatch.setattr(theano.config.conv, "assert_shape", True)
    assert assert_shape(x, (None, None)) is x
    f = theano.function([x, n], assert_shape(x, (n, None), "not so long"))
    assert f(np.zeros((2, 3)), 2).shape == (2, 3)
    with pytest.raises(AssertionError, match="not so long"):
        f(np.zeros((2, 3)), 3)


test_ops = spec_tests(SPECS)
