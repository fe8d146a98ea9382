"""Patterns match what they look like, and nothing else."""

import numpy as np
import pytest

from theano._src.graph.graph import Constant
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.elementwise.arithmetic import add, mul, neg, sqr, sub
from theano._src.ops.elementwise.explog import exp, log
from theano._src.rewrite.pattern import Hole, Pattern, build, uniform_value
from theano._src.types.convert import constant
from theano._src.types.tensor import tensor_type

X, Y = Hole("x"), Hole("y")


def vector(name=None, dtype="float64"):
    return tensor_type(dtype, (False,))(name)


def test_an_op_called_on_a_hole_makes_a_pattern_and_no_node():
    made = log(add(1, exp(X)))
    assert isinstance(made, Pattern)
    assert repr(made) == "log(add(1, exp(x)))"
    assert made.depth == 3


def test_an_op_called_on_variables_still_makes_a_node():
    x = vector("x")
    assert exp(x).owner.inputs == [x]


def test_a_pattern_of_anything_but_holes_and_numbers_is_refused():
    with pytest.raises(TypeError, match="takes holes, patterns, numbers and constants"):
        Pattern(add, (X, "one"))


def test_holes_stand_for_the_inputs_they_match():
    a, b = vector("a"), vector("b")
    match, used = sub(X, exp(Y)).match(sub(a, exp(b)).owner)
    assert match == {"x": a, "y": b} and used == [0, 1]
    assert sub(X, exp(Y)).match(sub(exp(a), b).owner) is None


def test_one_hole_twice_is_one_variable_or_equal_constants():
    a, b = vector("a"), vector("b")
    assert sub(X, X).match(sub(a, a).owner) is not None
    assert sub(X, X).match(sub(a, b).owner) is None
    one, same, other = (constant(np.array([v])) for v in (1.5, 1.5, 2.5))
    assert sub(X, X).match(sub(one, same).owner) is not None
    assert sub(X, X).match(sub(one, other).owner) is None


def test_inputs_of_a_commutative_op_match_in_any_order():
    a, b = vector("a"), vector("b")
    match, _ = add(exp(X), Y).match(add(a, exp(b)).owner)
    assert match == {"x": b, "y": a}


def test_a_choice_that_fails_further_on_is_taken_back():
    a, b = vector("a"), vector("b")
    # the first exp met is not that of the variable beside the log
    match, _ = mul(exp(X), log(X)).match(mul(exp(a), log(a)).owner)
    assert match == {"x": a}
    match, used = add(exp(X), neg(X)).match(add(exp(a), exp(b), neg(b)).owner, anywhere=True)
    assert match == {"x": b} and used == [1, 2]


def test_inputs_left_over_at_the_root_of_a_sum_are_not_among_those_that_fit():
    a, b = vector("a"), vector("b")
    match, used = add(X, 0).match(add(a, 0, b).owner)
    assert match == {"x": a} and used == [0, 1]


def test_where_results_are_rounded_a_pattern_fits_what_is_added_first():
    """A2: (a + b) + c is not a + (b + c)."""
    a, b = vector("a"), vector("b")
    assert add(exp(X), neg(X)).match(add(a, exp(b), neg(b)).owner) is None
    n, m = vector("n", "int64"), vector("m", "int64")
    match, used = add(sqr(X), neg(X)).match(add(n, sqr(m), neg(m)).owner)
    assert match == {"x": m} and used == [1, 2]


def test_inside_a_pattern_the_numbers_of_inputs_agree():
    a, b = vector("a"), vector("b")
    assert log(add(1, X)).match(log(add(1, a, b)).owner) is None


@pytest.mark.parametrize("dtype", ["int8", "int64", "float32", "float64", "complex128"])
@pytest.mark.parametrize("shape", [(), (1,)])
def test_a_number_matches_a_constant_of_that_value_of_any_dtype(dtype, shape):
    c = constant(np.full(shape, 2, dtype))
    assert mul(X, 2).match(mul(vector(), c).owner) is not None
    assert mul(X, 1).match(mul(vector(), c).owner) is None


def test_a_number_matches_no_constant_whose_length_is_checked_against_others():
    # leaving it out would leave the error out too
    assert mul(X, 2).match(mul(vector(), constant(np.full(3, 2.0))).owner) is None


def test_a_number_matches_no_constant_with_other_elements_or_none():
    assert mul(X, 2).match(mul(vector(), constant(np.array([2.0, 3.0]))).owner) is None
    assert mul(X, 2).match(mul(vector(), constant(np.zeros(0))).owner) is None


def test_constants_are_seen_through_added_dimensions():
    c = DimShuffle((), ("x", "x"))(constant(3.0))
    assert uniform_value(c) == 3.0
    assert uniform_value(vector()) is None


@pytest.mark.parametrize(
    ("hole", "fits", "not_fits"),
    [
        (Hole("c", constant=True), constant(np.ones(3)), vector()),
        (Hole("c", kind="f"), vector(), vector(dtype="int32")),
        (Hole("c", dtype="int32"), vector(dtype="int32"), vector(dtype="int64")),
        (Hole("c", where=lambda v: v.name == "a"), vector("a"), vector("b")),
    ],
)
def test_a_hole_with_a_condition_takes_what_meets_it(hole, fits, not_fits):
    assert neg(hole).match(neg(fits).owner) is not None
    assert neg(hole).match(neg(not_fits).owner) is None
    assert hole.refuses(fits) is None
    assert hole.refuses(not_fits).startswith("c ")


def test_a_right_side_is_built_of_what_the_holes_stand_for():
    a = vector("a")
    made = build(neg(exp(X)), {"x": a})
    assert str(made.owner.inputs[0].owner) == "Elemwise{exp,no_inplace}(a)"
    assert isinstance(build(mul(X, 2), {"x": a}).owner.inputs[1].owner.inputs[0], Constant)
