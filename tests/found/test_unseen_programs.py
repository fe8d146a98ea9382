"""What programs that nobody had tried asked for."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.compile import debugmode
from theano.tensor.nnet import conv
from theano.tests import unittest_tools


@pytest.mark.parametrize("border_mode", ["valid", "full"])
def test_the_gradient_of_images_whose_lengths_are_stated_needs_no_images(border_mode):
    """P4: pylearn2 transposes a convolution by the gradient of images that it never gives."""
    stated, given = T.dtensor4s("stated", "given")
    filters = theano.shared(np.random.default_rng(3).normal(size=(2, 3, 2, 2)))
    y = conv.conv2d(stated, filters, (None, 3, 5, 4), (2, 3, 2, 2), border_mode=border_mode)
    gx, _ = y.owner.op.grad((stated, filters), (given,))
    g = np.random.default_rng(5).normal(
        size=(1, 2, 4, 3) if border_mode == "valid" else (1, 2, 6, 5)
    )
    images = np.random.default_rng(4).normal(size=(1, 3, 5, 4))
    through = theano.function([stated, given], T.grad((y * given).sum(), stated))
    np.testing.assert_allclose(theano.function([given], gx)(g), through(images, g), rtol=1e-12)


def test_an_op_may_say_that_its_make_thunk_is_a_default_one():
    """P4: pylearn2 adds that of its ops to the list."""
    assert theano.Op.make_thunk in debugmode.default_make_thunk


def test_the_test_value_of_one_variable_is_in_the_list_as_it_is():
    """P4: pylearn2 asks for the shape of get_debug_values(x)[0]."""
    x, y = T.dvectors("x", "y")
    x.tag.test_value, y.tag.test_value = np.ones(3), np.zeros(2)
    with theano.config.change_flags(compute_test_value="raise"):
        (value,) = theano.gof.op.get_debug_values(x)
        ((first, second),) = theano.gof.op.get_debug_values(x, y)
    assert value.shape == first.shape == (3,) and second.shape == (2,)


def test_closeness_of_two_dtypes_goes_by_the_narrower_one():
    """P4: pylearn2 compares float64 with the float32 that it came from."""
    narrow, wide = np.float32([1e-6, 1.0]), np.array([5e-6, 1.0])
    unittest_tools.assert_allclose(narrow, wide)
    with pytest.raises(AssertionError, match="Not equal to tolerance rtol=1e-05, atol=1e-08"):
        unittest_tools.assert_allclose(narrow.astype("float64"), wide)


def test_memory_can_be_disturbed():
    """P4: pylearn2's tests call it before they compile."""
    from theano.tests import disturb_mem

    assert disturb_mem.disturb_mem() is None


def test_a_gradient_is_verified_where_the_domain_of_a_function_begins():
    """P8: starry verifies gradients at a radius of zero, and refuses negative ones."""

    def square_of_radius(r):
        return T.sqr(T.opt.Assert("the radius is negative")(r, T.ge(r, 0)))

    theano.gradient.verify_grad(square_of_radius, [np.array(0.0)], rng=np.random, eps=1e-7)
    with pytest.raises(AssertionError, match="the radius is negative"):
        theano.gradient.verify_grad(square_of_radius, [np.array(-1.0)], rng=np.random)


@pytest.mark.parametrize("linker", ["py", "xla"])
def test_a_product_with_ones_of_a_shape_that_does_not_fit_is_an_error(linker):
    """P8: Theano removes the product, unseen; starry's test_render relies on it."""
    x = T.dtensor3("x")
    f = theano.function([x], T.constant(np.ones((1, 1, 5))) * x, mode=theano.Mode(linker))
    with pytest.raises(ValueError, match="Input dimension mis-match"):
        f(np.zeros((5, 7, 7)))
