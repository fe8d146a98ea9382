"""Graphs on which the rules of rules/powers.py fire."""

from typing import Any

from tests.rules.examples.variables import vectors
from theano._src.ops.elementwise.arithmetic import abs_, mul, pow, true_div


def _negative_example() -> tuple[list[Any], list[Any]]:
    (x,) = vectors("x")
    return [x], [pow(x, -1), pow(x, -2)]


def _power_example() -> tuple[list[Any], list[Any]]:
    (x,) = vectors("x")
    (n,) = vectors("n", dtype="int8")
    return [x, n], [pow(x, 3), pow(x, 8), pow(x, -4), pow(n, 7)]


def _minus_example() -> tuple[list[Any], list[Any]]:
    (x,) = vectors("x", dtype="float32")
    return [x], [mul(x, -1)]


def _abs_example() -> tuple[list[Any], list[Any]]:
    x, y = vectors("x", "y")
    return [x, y], [abs_(mul(x, y)), abs_(true_div(x, y))]


def _merge_example() -> tuple[list[Any], list[Any]]:
    x, y = vectors("x", "y")
    return [x, y], [mul(abs_(x), abs_(y), 2.0), true_div(abs_(x), abs_(y))]


EXAMPLES = {
    "negative_power": _negative_example,
    "power_multiplied_out": _power_example,
    "minus_one_times": _minus_example,
    "abs_of_product": _abs_example,
    "product_of_abs": _merge_example,
}
