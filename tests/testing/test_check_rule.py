"""check_rule takes what is right, and refuses what is not."""

import numpy as np
import pytest

import theano.tensor as T
from theano.extend import Hole, Rule, rewrite_rule
from theano.gof import OpRemove, PatternSub, local_optimizer
from theano.testing import check_rule

X, C = Hole("x"), Hole("c", constant=True)


def test_an_equation_is_tried_on_its_own_left_side():
    g = check_rule(Rule("right", "g", T.log(T.exp(X)), X))
    assert str(g) == "[x]"
    assert str(check_rule(Rule("swap", "g", T.add(X, C), T.sub(X, T.neg(C))))).count("sub") == 1


def test_a_function_is_tried_on_its_example():
    def example():
        m = T.fmatrix("m")
        return [m], [T.neg(T.neg(m))]

    @rewrite_rule("neg_neg", "g", [T.neg], example=example)
    def neg_neg(node):
        """-(-x) -> x"""
        inner = node.inputs[0].owner
        return [inner.inputs[0]] if inner and inner.op == T.neg else None

    assert str(check_rule(neg_neg)) == "[m]"


def test_a_wrong_value_is_found():
    with pytest.raises(AssertionError, match="values differ"):
        check_rule(Rule("wrong", "g", T.sin(X), T.cos(X)))


def test_a_wrong_value_of_integers_is_found():
    x = T.bscalar("x")
    halve = PatternSub((T.int_div, "x", 2), "x")
    with pytest.raises(AssertionError, match="values differ"):
        check_rule(halve, [x], [x // np.int8(2)])


def test_a_rule_that_does_not_fire_is_told_so():
    x = T.dvector("x")
    with pytest.raises(AssertionError, match=r"does not fire on .*why_not says why"):
        check_rule(OpRemove(T.neg), [x], [T.exp(x)])


def test_an_error_inside_a_rule_is_raised():
    @local_optimizer([T.neg])
    def broken(node):
        raise ZeroDivisionError("here")

    x = T.dvector("x")
    with pytest.raises(ZeroDivisionError, match="here"):
        check_rule(broken, [x], [T.neg(x)])


def test_a_rule_without_example_needs_a_graph():
    with pytest.raises(ValueError, match="has no example"):
        check_rule(OpRemove(T.neg))
