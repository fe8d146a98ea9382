"""Graphs on which the rules of rules/products.py fire."""

from typing import Any

from theano._src.ops.linalg.dot import dot
from theano._src.ops.shape.alloc import alloc
from theano._src.ops.shape.dims import dimshuffle, transpose
from theano._src.ops.shape.shape import shape_i_op
from theano._src.types.convert import constant
from theano._src.types.tensor import tensor_type


def _matrices(names: str) -> list[Any]:
    return [tensor_type("float64", (False, False))(name) for name in names]


def _transposed_example() -> tuple[list[Any], list[Any]]:
    x, y = _matrices("xy")
    return [x, y], [transpose(dot(x, transpose(y)))]


def _zeros_example() -> tuple[list[Any], list[Any]]:
    (x,) = _matrices("x")
    return [x], [dot(x, alloc(constant(0.0), shape_i_op(1)(x)))]


def _outer_example() -> tuple[list[Any], list[Any]]:
    u, v = (tensor_type("float64", (False,))(name) for name in "uv")
    return [u, v], [dot(dimshuffle(u, 0, "x"), dimshuffle(v, "x", 0))]


def _chain_example() -> tuple[list[Any], list[Any]]:
    x, y = _matrices("xy")
    v = tensor_type("float64", (False,))("v")
    return [x, y, v], [dot(dot(x, y), v), dot(v, dot(x, y))]


def _outer_in_chain_example() -> tuple[list[Any], list[Any]]:
    x, y = _matrices("xy")
    u, v, w = (tensor_type("float64", (False,))(name) for name in "uvw")
    column, row = dimshuffle(u, 0, "x"), dimshuffle(v, "x", 0)
    outers = [column * row, 2.0 * row * column]
    products = [dot(x, outers[0]), dot(outers[1], y), dot(w, column * row)]
    return [x, y, u, v, w], [*products, dot(column * row, w)]


EXAMPLES = {
    "dot_of_outer": _outer_in_chain_example,
    "transposed_dot": _transposed_example,
    "dot_with_zeros": _zeros_example,
    "chain_order": _chain_example,
    "outer_as_product": _outer_example,
}
