"""Graphs on which the rules of rules/reductions.py fire."""

from typing import Any

from theano._src.ops.elementwise.arithmetic import mul, neg, sqr, true_div
from theano._src.ops.reduce.careduce import prod, sum
from theano._src.ops.reduce.max_min import MaxAndArgmax, max, min
from theano._src.ops.shape.alloc import alloc
from theano._src.ops.shape.dims import dimshuffle
from theano._src.ops.shape.join import join
from theano._src.ops.shape.shape import shape_i_op
from theano._src.types.tensor import tensor_type


def _matrices(*names: str, dtype: str = "float64") -> list[Any]:
    return [tensor_type(dtype, (False, False))(name) for name in names]


def _scaled_example() -> tuple[list[Any], list[Any]]:
    (x,) = _matrices("x")
    c = tensor_type("float64", ())("c")
    return [c, x], [sum(mul(c, x)), sum(mul(2.5, x, x), axis=0)]


def _negated_example() -> tuple[list[Any], list[Any]]:
    (x,) = _matrices("x")
    return [x], [sum(neg(x)), sum(neg(x), axis=1)]


def _prod_example() -> tuple[list[Any], list[Any]]:
    (n,) = _matrices("n", dtype="int64")
    c = tensor_type("int64", ())("c")
    return [c, n], [prod(mul(c, n), axis=0)]


def _quotient_example() -> tuple[list[Any], list[Any]]:
    (x,) = _matrices("x")
    y = tensor_type("float64", (False,))("y")
    return [x, y], [
        sum(true_div(x, dimshuffle(y, "x", 0)), axis=0),
        sum(true_div(x, dimshuffle(y, 0, "x")), axis=1),
    ]


def _all_example() -> tuple[list[Any], list[Any]]:
    (x,) = _matrices("x")
    return [x], [sum(x, axis=(0, 1)), max(x, axis=(0, 1))]


def _twice_example() -> tuple[list[Any], list[Any]]:
    x = tensor_type("float32", (False,) * 3)("x")
    return [x], [sum(sum(x, axis=1), axis=1), prod(prod(x, axis=0)), max(max(x, axis=0), axis=1)]


def _squares_example() -> tuple[list[Any], list[Any]]:
    w, g = _matrices("w", "g")
    made = mul(dimshuffle(w, "x", 0, 1), dimshuffle(g, 0, "x", 1))
    return [w, g], [sum(sqr(made), axis=(1, 2))]


def _join_example() -> tuple[list[Any], list[Any]]:
    x, y = _matrices("x", "y")
    made = join(0, dimshuffle(x, "x", 0, 1), dimshuffle(y, "x", 0, 1))
    return [x, y], [sum(made, axis=0), max(made, axis=0), prod(made, axis=0)]


def _useless_example() -> tuple[list[Any], list[Any]]:
    (x,) = _matrices("x")
    return [x], [sum(x, axis=())]


def _ones_example() -> tuple[list[Any], list[Any]]:
    x = tensor_type("float32", (True, False, True))("x")
    return [x], [sum(x, axis=(0, 1)), prod(x, axis=(0, 2)), sum(x, axis=(0, 1, 2))]


def _greatest_of_ones_example() -> tuple[list[Any], list[Any]]:
    x = tensor_type("float32", (True, False, True))("x")
    return [x], [max(x, axis=(0, 2))]


def _alloc_example() -> tuple[list[Any], list[Any]]:
    (x,) = _matrices("x")
    v = tensor_type("float64", ())("v")
    made = alloc(v, *[shape_i_op(d)(x) for d in range(2)])
    return [v, x], [sum(made), sum(made, axis=1), prod(made, axis=0)]


def _min_example() -> tuple[list[Any], list[Any]]:
    (x,) = _matrices("x")
    return [x], [neg(max(neg(x), axis=0)), neg(min(neg(x)))]


def _half_example() -> tuple[list[Any], list[Any]]:
    (x,) = _matrices("x")
    return [x], [MaxAndArgmax((0,))(x)[0], MaxAndArgmax((1,))(x)[1]]


EXAMPLES = {
    "useless_reduction": _useless_example,
    "reduction_over_ones": _ones_example,
    "greatest_of_ones": _greatest_of_ones_example,
    "over_all_axes": _all_example,
    "reduction_of_reduction": _twice_example,
    "reduction_of_join": _join_example,
    "sum_of_quotient": _quotient_example,
    "sum_of_scaled": _scaled_example,
    "sum_of_negated": _negated_example,
    "prod_of_scaled": _prod_example,
    "sum_of_alloc": _alloc_example,
    "sum_of_squared_products": _squares_example,
    "max_of_negated": _min_example,
    "half_of_max_and_argmax": _half_example,
}
