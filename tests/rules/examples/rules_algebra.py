"""Graphs on which the rules of rules/algebra.py fire."""

from typing import Any

from tests.rules.examples.variables import vectors
from theano._src.ops.elementwise.arithmetic import add, mul, neg, sub, true_div


def _product_example() -> tuple[list[Any], list[Any]]:
    a, b = vectors("a", "b")
    return [a, b], [mul(true_div(mul(a, 2.0), mul(b, 3.0)), neg(b), 0.5)]


def _total_example() -> tuple[list[Any], list[Any]]:
    a, b, c = vectors("a", "b", "c")
    return [a, b, c], [sub(add(a, b, 1.0), sub(c, 2.0))]


EXAMPLES = {
    "product_form": _product_example,
    "sum_form": _total_example,
}
