"""Shapes of a whole graph in numbers."""

import pytest

import theano
import theano.tensor as T
from theano.tensor.utils import shape_of_variables


def test_every_variable_has_the_shape_that_running_would_give():
    x = T.matrix("x")
    half, product = x[512:], T.dot(x[512:], x)
    out = product + T.constant([[1.0]])
    g = theano.FunctionGraph([x], [out, half], clone=False)
    shapes = shape_of_variables(g, {x: (1024, 6)})
    assert (shapes[x], shapes[half]) == ((1024, 6), (512, 6))
    assert shapes[product] == shapes[out] == (512, 6)
    assert set(shapes) == set(g.variables)
    # again: the feature is there already
    assert shape_of_variables(g, {x: (600, 2)})[half] == (88, 2)


def test_nothing_is_computed():
    x = T.matrix("x")
    g = theano.FunctionGraph([x], [T.opt.Assert("never")(x, x.sum() > 1e9).T], clone=False)
    assert shape_of_variables(g, {x: (2, 3)})[g.outputs[0]] == (3, 2)


def test_lengths_that_the_type_knows_need_no_agreement():
    r = T.row("r")
    g = theano.FunctionGraph([r], [r + r], clone=False)
    assert shape_of_variables(g, {r: (1, 4)})[g.outputs[0]] == (1, 4)


@pytest.mark.parametrize("shape", [None, (3,), (3, 4, 5)])
def test_an_input_needs_a_length_for_each_dimension(shape):
    x = T.matrix("x")
    g = theano.FunctionGraph([x], [x + 1], clone=False)
    with pytest.raises(ValueError, match=r"takes 2 lengths for the input x of .*, got"):
        shape_of_variables(g, {} if shape is None else {x: shape})


def test_a_shape_that_hangs_on_a_value_is_named():
    n = T.lscalar("n")
    g = theano.FunctionGraph([n], [T.zeros(n)], clone=False)
    with pytest.raises(
        ValueError, match="one that depends on the value of n; give it as a constant"
    ):
        shape_of_variables(g, {})
    x = T.vector("x")
    g = theano.FunctionGraph([x], [x.nonzero()[0]], clone=False)
    with pytest.raises(ValueError, match="depends on the value of x"):
        shape_of_variables(g, {x: (3,)})
