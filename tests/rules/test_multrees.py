"""Products as trees of factors with signs."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.gof.graph import is_same_graph
from theano.tensor.nnet.sigm import (
    compute_mul,
    is_1pexp,
    is_exp,
    is_mul,
    is_neg,
    parse_mul_tree,
    perform_sigm_times_exp,
    sigmoid,
    simplify_mul,
)

x, y, z = T.dvectors("xyz")


def test_forms_are_known():
    assert is_mul(x * y) == [x, y] and is_mul(x + y) is None
    assert is_neg(-x) is x and is_neg(x * -1) is x and is_neg(x) is None
    assert is_same_graph(is_neg(T.mul(x, -1, y)), x * y)
    assert is_exp(T.exp(x)) == (False, x) and is_exp(-T.exp(x)) == (True, x)
    assert is_exp(T.sin(x)) is None


def test_one_plus_exp_is_known_in_either_order():
    for t in (1 + T.exp(x), T.exp(x) + 1, T.add(T.exp(x), 0.5, 0.5)):
        assert is_1pexp(t) == (False, x)
    for t in (1 - T.exp(x), 2 + T.exp(x), T.exp(x) - 1, -1 + T.exp(x), 1 + 2 * T.exp(x), x + 1, x):
        assert is_1pexp(t, only_process_constants=False) is None


def test_a_product_becomes_a_tree_and_back():
    assert parse_mul_tree(-x) == [True, x] and parse_mul_tree(T.neg(T.neg(x))) == [False, x]
    assert parse_mul_tree(-(x * y)) == [True, [[False, x], [False, y]]]
    tree = parse_mul_tree((x * y) * -z)
    assert tree == [False, [[False, [[False, x], [False, y]]], [True, z]]]
    assert is_same_graph(compute_mul(tree), (x * y) * -z)


def test_ones_are_left_out():
    assert simplify_mul([True, [[True, None], [False, [[True, x], [False, None]]]]]) == [True, x]
    assert simplify_mul([True, [[True, None]]]) == [False, None]
    with pytest.raises(AssertionError, match="simplify_mul first"):
        compute_mul([False, None])


@pytest.mark.parametrize(
    "build",
    [
        lambda: sigmoid(x) * T.exp(-x),
        lambda: -T.exp(x) * y * sigmoid(-x),
        lambda: -T.exp(x) * -sigmoid(-x) * -T.exp(-x),
        lambda: (y * (sigmoid(x) * z)) * (T.exp(-x) * sigmoid(y)) * T.exp(-y),
        lambda: sigmoid(x) * T.exp(x),
    ],
)
def test_exponentials_meet_sigmoids_and_the_value_stays(build):
    expression = build()
    tree = parse_mul_tree(expression)
    changed = perform_sigm_times_exp(tree)
    made = compute_mul(simplify_mul(tree))
    f = theano.function(
        [x, y, z], [expression, made], mode="FAST_COMPILE", on_unused_input="ignore"
    )
    before, after = f(*np.random.default_rng(0).normal(size=(3, 4)))
    np.testing.assert_allclose(before, after)
    exps = lambda v: theano.pp(v).count("exp(")
    assert (exps(made) < exps(expression)) is changed


def test_a_deep_product_is_parsed_without_recursion():
    product = x
    for _ in range(3000):
        product = -product
    assert parse_mul_tree(product) == [False, x]
