"""Shared variables: construction, borrowing, values."""

import pickle

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano import shared


@pytest.mark.parametrize(
    ("value", "dtype", "ndim"),
    [
        (0, "int64", 0),
        (0.5, "float64", 0),
        (1j, "complex128", 0),
        (np.float32(1), "float32", 0),
        (True, "bool", 0),
        (np.ones((1, 3), "int8"), "int8", 2),
    ],
)
def test_the_type_follows_the_value(value, dtype, ndim):
    s = shared(value)
    assert (s.dtype, s.ndim) == (dtype, ndim)
    assert s.broadcastable == (False,) * ndim
    assert s.get_value().dtype == dtype


def test_values_are_copied_unless_borrowed():
    a = np.zeros(2)
    copied, lent = shared(a), shared(a, borrow=True)
    a += 1
    assert copied.get_value().tolist() == [0, 0] and lent.get_value().tolist() == [1, 1]
    assert lent.get_value(borrow=True) is a
    b = np.zeros(2)
    copied.set_value(b, borrow=True)
    b += 3
    assert copied.get_value().tolist() == [3, 3]
    copied.set_value(b)
    b += 1
    assert copied.get_value().tolist() == [3, 3]


def test_set_value_keeps_the_type():
    s = shared(np.zeros(2, "float32"))
    with pytest.raises(TypeError):
        s.set_value(np.zeros(2))
    with pytest.raises(TypeError):
        s.set_value(np.zeros((2, 2), "float32"))
    s.set_value(np.ones(5, "int8"))
    assert s.get_value().dtype == "float32" and s.get_value().shape == (5,)


def test_a_strict_variable_casts_nothing():
    s = shared(np.zeros(2), strict=True)
    with pytest.raises(TypeError):
        s.set_value(np.zeros(2, "int8"))


def test_broadcastable_can_be_told():
    s = shared(np.ones((1, 3)), broadcastable=(True, False))
    assert s.broadcastable == (True, False)
    with pytest.raises(TypeError):
        s.set_value(np.ones((2, 3)))


def test_any_object_can_be_shared():
    s = shared({"a": 1})
    assert s.type == theano.generic and s.get_value() == {"a": 1}


def test_symbolic_values_are_refused():
    with pytest.raises(TypeError, match="symbolic"):
        shared(T.dscalar())


def test_constructors_are_tried_from_the_last():
    class Mine:
        pass

    @theano.compile.sharedvalue.shared_constructor
    def mine(value, name=None, strict=False, allow_downcast=None):
        if not isinstance(value, Mine):
            raise TypeError("not mine")
        return shared(42, name="mine")

    try:
        assert shared(Mine()).name == "mine"
        assert theano.compile.sharedvalue.shared.constructors[-1] is mine
    finally:
        theano.compile.sharedvalue.shared_constructor(mine, remove=True)


def test_unknown_keywords_are_refused():
    with pytest.raises(TypeError, match="bogus"):
        shared(np.zeros(2), bogus=1)


def test_a_pickled_shared_variable_has_a_value_of_its_own():
    s = shared(np.zeros(2), name="s")
    t = pickle.loads(pickle.dumps(s))
    s.set_value(np.ones(2))
    assert t.name == "s" and t.get_value().tolist() == [0, 0] and t.type == s.type


def test_value_and_zero():
    s = shared(np.ones(2))
    s.value = np.full(3, 2.0)
    assert s.value.tolist() == [2, 2, 2]
    s.zero()
    assert s.get_value().tolist() == [0, 0, 0]


def test_functions_see_new_values():
    s = shared(1.0)
    f = theano.function([], s * 2)
    s.set_value(5)
    assert f() == 10
