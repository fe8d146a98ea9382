"""Graphs on which the rules of rules/switches.py fire."""

from typing import Any

from theano._src.ops.elementwise.arithmetic import add, mul, true_div
from theano._src.ops.elementwise.compare import gt, le, switch
from theano._src.ops.shape.shape import shape_i_op
from theano._src.types.tensor import tensor_type


def _inputs() -> list[Any]:
    kind = tensor_type("float64", (False,))
    return [tensor_type("bool", (False,))("c"), kind("x"), kind("y")]


def _settled_example() -> tuple[list[Any], list[Any]]:
    c, x, y = _inputs()
    return [c, x, y], [switch(1, x, y), switch(0, x, y), switch(c, x, x)]


def _length_example() -> tuple[list[Any], list[Any]]:
    _, x, _ = _inputs()
    n = shape_i_op(0)(x)
    return [x], [switch(le(n, 0), 0, n)]


def _again_example() -> tuple[list[Any], list[Any]]:
    c, x, y = _inputs()
    return [c, x, y], [switch(c, switch(c, x, 1.0), y), switch(c, x, switch(c, 1.0, y))]


def _product_example() -> tuple[list[Any], list[Any]]:
    _, x, y = _inputs()
    return [x, y], [mul(x, switch(gt(y, 0), y, 0)), mul(switch(gt(y, 0), 0.0, x), y)]


def _quotient_example() -> tuple[list[Any], list[Any]]:
    _, x, y = _inputs()
    return [x, y], [true_div(switch(gt(y, 0), y, 0), x)]


def _merged_example() -> tuple[list[Any], list[Any]]:
    c, x, y = _inputs()
    return [c, x, y], [add(switch(c, x, 2.0), switch(c, y, x))]


EXAMPLES = {
    "switch_settled": _settled_example,
    "switch_of_length": _length_example,
    "switch_again": _again_example,
    "product_with_switch": _product_example,
    "quotient_of_switch": _quotient_example,
    "switches_merged": _merged_example,
}
