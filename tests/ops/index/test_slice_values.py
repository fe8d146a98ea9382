"""Slices and None as values of a graph."""

import pickle

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.tensor.type_other import NoneTypeT, SliceConstant, as_int_none_variable, none_type_t

X = np.arange(12.0).reshape(3, 4)
SLICES = [
    slice(1, 3),
    slice(None),
    slice(None, None, -1),
    slice(5, None),
    slice(-10, None, -2),
    slice(-1, 0, -1),
    slice(2, 2),
    slice(0, -1, 2),
]


@pytest.mark.parametrize("linker", ["py", "numpy", "xla"])
def test_a_variable_that_holds_a_slice_is_an_index(linker):
    x, s = T.dmatrix("x"), T.slicetype("s")
    outs = [x[s], x[:, s], x[s, 0], x[..., None, s], x[[0, 2], s], T.set_subtensor(x[1, s], 7.0)]
    f = theano.function([x, s], outs, mode=theano.Mode(linker))
    for given in SLICES:
        written = X.copy()
        written[1, given] = 7
        wanted = [X[given], X[:, given], X[given, 0], X[..., None, given], X[[0, 2], given]]
        for got, one in zip(f(X, given), [*wanted, written], strict=True):
            np.testing.assert_array_equal(got, one)


def test_gradients_go_through_a_slice_variable():
    x, s = T.dvector("x"), T.slicetype("s")
    f = theano.function([x, s], T.grad((x[s] ** 2).sum(), x))
    np.testing.assert_array_equal(f([1.0, 2.0, 3.0], slice(None, None, 2)), [2, 0, 6])


def test_a_slice_variable_takes_only_slices():
    x, s = T.dvector("x"), T.slicetype("s")
    f = theano.function([x, s], x[s])
    with pytest.raises(TypeError, match="takes a slice, got 3"):
        f([1.0], 3)
    with pytest.raises(IndexError, match="too many indices"):
        x[s, s]


def test_a_slice_made_of_integers_is_taken_apart_again():
    x, i = T.dvector("x"), T.iscalar("i")
    y = x[T.make_slice(i, None)]
    assert isinstance(y.owner.op, T.Subtensor) and y.owner.inputs == [x, i]
    np.testing.assert_array_equal(y.eval({x: [1.0, 2.0, 3.0], i: 1}), [2, 3])
    constant = SliceConstant(T.slicetype, slice(np.array(1), None))
    np.testing.assert_array_equal(x[constant].eval({x: [1.0, 2.0, 3.0]}), [2, 3])


def test_slices_are_outputs_and_equal_ones_are_merged():
    i = T.iscalar("i")
    f = theano.function([i], [T.make_slice(0, i), T.make_slice(slice(0, i))])
    assert f(3) == [slice(0, 3, None)] * 2
    assert [n.op for n in f.maker.fgraph.toposort()].count(T.make_slice) == 1


def test_a_slice_takes_integers_or_none():
    assert as_int_none_variable(T.NoneConst) is T.NoneConst
    with pytest.raises(TypeError, match="takes integers or None, got x of dtype float64"):
        T.make_slice(T.dscalar("x"))
    with pytest.raises(TypeError, match="a slice alone or its parts, got both"):
        T.make_slice(slice(1), 2)


def test_constants_of_equal_slices_are_equal():
    a, b = (SliceConstant(T.slicetype, slice(0, n)) for n in (3, np.array(3)))
    assert a.equals(b) and str(a) == "SliceConstant{0, 3, None}"
    assert not a.equals(SliceConstant(T.slicetype, slice(0, 4)))


def test_none_is_a_constant_that_equals_its_copies():
    for other in (T.NoneConst.clone(), theano.gof.Constant(NoneTypeT(), None)):
        assert T.NoneConst.equals(other) and other.equals(T.NoneConst)
    assert pickle.loads(pickle.dumps(T.NoneConst)).equals(T.NoneConst)
    assert none_type_t.is_valid_value(None) and not none_type_t.is_valid_value(0)
    with pytest.raises(TypeError, match="takes None, got 0"):
        theano.gof.Constant(none_type_t, 0)


def test_none_as_a_constant_means_none():
    x = T.constant(X)
    assert T.max(x, axis=T.NoneConst.clone()).eval() == 11
    assert x.sum(axis=T.NoneConst.clone()).eval() == X.sum()
    assert x[T.NoneConst.clone(), 0].eval().shape == (1, 4)
    symmetric = X[:, :3] + X[:, :3].T
    made = T.slinalg.eigvalsh(T.constant(symmetric), T.NoneConst)
    np.testing.assert_allclose(made.eval(), np.linalg.eigvalsh(symmetric), rtol=1e-8, atol=1e-8)


def test_an_array_among_integers_is_an_error_of_its_own():
    x = T.dvector("x")
    op = x[1:].owner.op
    with pytest.raises(T.subtensor.AdvancedIndexingError, match="takes scalars"):
        op(x, T.lvector())
    with pytest.raises(T.subtensor.AdvancedBooleanIndexingError, match="takes integers"):
        op(x, T.constant(np.array([True])))
