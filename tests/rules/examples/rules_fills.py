"""Graphs on which the rules of rules/fills.py fire."""

from typing import Any

from theano._src.ops.core.dimshuffle import pad_left
from theano._src.ops.elementwise.arithmetic import add, fill, mul, neg
from theano._src.ops.shape.alloc import alloc
from theano._src.ops.shape.check_lengths import CheckLengths
from theano._src.ops.shape.shape import shape_i_op
from theano._src.rules.fills import _vectors
from theano._src.types.tensor import tensor_type


def _cut_example() -> tuple[list[Any], list[Any]]:
    x, y = _vectors("x", "y")
    return [x, y], [mul(fill(x, 2.0), x), add(fill(x, 3.0), mul(x, y))]


def _sink_example() -> tuple[list[Any], list[Any]]:
    x, y = _vectors("x", "y")
    return [x, y], [mul(fill(x, 2.0), y), neg(fill(x, 3.0))]


def _fill_example() -> tuple[list[Any], list[Any]]:
    x, y = _vectors("x", "y")
    return [x, y], [fill(mul(x, y), neg(x))]


def _to_alloc_example() -> tuple[list[Any], list[Any]]:
    x, y = _vectors("x", "y")
    row = tensor_type("float64", (True, False))("row")
    column = tensor_type("float64", (False, True))("column")
    return [x, y, row, column], [fill(x, 2.0), fill(x, y), fill(row, column)]


def _useless_alloc_example() -> tuple[list[Any], list[Any]]:
    (x,) = _vectors("x")
    return [x], [alloc(x, shape_i_op(0)(x))]


def _alloc_of_alloc_example() -> tuple[list[Any], list[Any]]:
    (x,) = _vectors("x")
    n = shape_i_op(0)(x)
    return [x], [alloc(alloc(2.5, n), 4, n)]


def _alloc_dimshuffle_example() -> tuple[list[Any], list[Any]]:
    (x,) = _vectors("x")
    return [x], [alloc(pad_left(x, 2), 4, shape_i_op(0)(x))]


def _dimshuffle_alloc_example() -> tuple[list[Any], list[Any]]:
    (x,) = _vectors("x")
    return [x], [pad_left(alloc(2.5, shape_i_op(0)(x)), 3)]


def _elemwise_alloc_example() -> tuple[list[Any], list[Any]]:
    x, y = _vectors("x", "y")
    return [x, y], [add(alloc(2.5, shape_i_op(0)(x)), y)]


def _alloc_sink_example() -> tuple[list[Any], list[Any]]:
    (x,) = _vectors("x")
    return [x], [mul(alloc(2.5, shape_i_op(0)(x), 2), 3.0)]


def _agree_sink_example() -> tuple[list[Any], list[Any]]:
    x, y = _vectors("x", "y")
    checked = CheckLengths((0,))(x, shape_i_op(0)(y))
    return [x, y], [mul(checked, y), neg(checked)]


def _agree_example() -> tuple[list[Any], list[Any]]:
    x, y = _vectors("x", "y")
    return [x, y], [CheckLengths((0,))(mul(x, y), shape_i_op(0)(x))]


EXAMPLES = {
    "useless_fill": _fill_example,
    "fill_cut": _cut_example,
    "fill_sink": _sink_example,
    "fill_to_alloc": _to_alloc_example,
    "useless_alloc": _useless_alloc_example,
    "alloc_of_alloc": _alloc_of_alloc_example,
    "alloc_of_dimshuffle": _alloc_dimshuffle_example,
    "dimshuffle_of_alloc": _dimshuffle_alloc_example,
    "elemwise_of_alloc": _elemwise_alloc_example,
    "alloc_sink": _alloc_sink_example,
    "useless_agree": _agree_example,
    "agree_sink": _agree_sink_example,
}
