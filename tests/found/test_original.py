"""What the tests of Theano 1.0.5 found: one test a defect, written anew."""

import numpy as np
import pytest

import theano
import theano.tensor as T


def test_a_shape_told_to_a_convolution_is_asserted_where_the_flag_asks_for_it():
    images, filters = T.tensor4s("if")
    f = theano.function([images, filters], T.nnet.conv2d(images, filters, (1, 1, 4, 4)))
    given = np.zeros((1, 1, 5, 5)), np.zeros((1, 1, 2, 2))
    with theano.config.change_flags({"conv.assert_shape": True}), pytest.raises(AssertionError):
        f(*given)
    with pytest.raises(ValueError):
        f(*given)


def test_repeating_once_keeps_a_dimension_of_length_one():
    x = T.TensorType("float64", (False, True, False))()
    assert T.repeat(x, 1, axis=1).broadcastable == (False, True, False)
    assert T.repeat(x, 2, axis=1).broadcastable == (False, False, False)
    assert T.repeat(x, T.lscalar(), axis=1).broadcastable == (False, False, False)


def test_a_sorter_that_is_no_vector_is_a_value_error():
    with pytest.raises(ValueError, match="vector as sorter"):
        T.extra_ops.searchsorted(T.dvector(), T.dvector(), sorter=T.lmatrix())
    with pytest.raises(TypeError, match="vector as sorter"):
        T.extra_ops.searchsorted(T.dvector(), T.dvector(), sorter=T.dvector())
