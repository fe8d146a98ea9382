"""Graphs on which the rules of rules/useless.py fire."""

from typing import Any

import numpy as np

from tests.rules.examples.variables import vectors
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import (
    add,
    int_div,
    maximum,
    minimum,
    mul,
    pow,
    sub,
    tensor_copy,
    true_div,
)
from theano._src.ops.elementwise.compare import (
    and_,
    eq,
    ge,
    gt,
    invert,
    le,
    lt,
    neq,
    or_,
    scalar_isnan,
    xor,
)
from theano._src.ops.meta.misc import scalar_from_tensor, tensor_from_scalar, view_op
from theano._src.ops.shape.shape import shape_i_op
from theano._src.types.convert import constant
from theano._src.types.tensor import tensor_type


def _one_input_example() -> tuple[list[Any], list[Any]]:
    (x,) = vectors("x")
    return [x], [add(x), mul(x), tensor_copy(x)]


def _zero_example() -> tuple[list[Any], list[Any]]:
    x, y = vectors("x", "y")
    return [x, y], [mul(x, 0.0), mul(x, y, 0)]


def _zero_div_example() -> tuple[list[Any], list[Any]]:
    (x,) = vectors("x")
    (n,) = vectors("n", dtype="int32")
    return [x, n], [true_div(0, x), int_div(0, n)]


def _power_example() -> tuple[list[Any], list[Any]]:
    (x,) = vectors("x", dtype="float32")
    return [x], [pow(x, 0)]


def _difference_example() -> tuple[list[Any], list[Any]]:
    (x,) = vectors("x")
    return [x], [sub(x, x)]


def _whole_example() -> tuple[list[Any], list[Any]]:
    (n,) = vectors("n", dtype="int16")
    return [n], [int_div(n, 1)]


def _self_example() -> tuple[list[Any], list[Any]]:
    (x,) = vectors("x")
    (n,) = vectors("n", dtype="int64")
    return [x, n], [lt(x, x), gt(x, x), eq(n, n), neq(n, n), le(n, n), ge(n, n)]


def _length_example() -> tuple[list[Any], list[Any]]:
    (x,) = vectors("x")
    n = shape_i_op(0)(x)
    return [x], [lt(n, 0), ge(n, 0), eq(n, -1), gt(0, add(n, n)), le(0, n)]


def _bound_example() -> tuple[list[Any], list[Any]]:
    (x,) = vectors("x")
    n, zero = shape_i_op(0)(x), constant(np.asarray(0, "int64"))
    return [x], [maximum(n, 0), maximum(zero, n), minimum(n, zero)]


def _logic_example() -> tuple[list[Any], list[Any]]:
    (b,) = vectors("b", dtype="bool")
    (n,) = vectors("n", dtype="int16")
    true, false = constant(np.asarray(True)), constant(np.asarray(False))
    bools = [and_(b, true), and_(b, false), or_(true, b), or_(b, false), xor(b, true)]
    return [b, n], [*bools, xor(b, false), and_(n, -1), or_(n, 0), xor(0, n), and_(n, 0)]


def _logic_self_example() -> tuple[list[Any], list[Any]]:
    (n,) = vectors("n", dtype="int16")
    return [n], [and_(n, n), or_(n, n), xor(n, n)]


def _opposite_example() -> tuple[list[Any], list[Any]]:
    x, y = vectors("x", "y")
    n, m = vectors("n", "m", dtype="int64")
    return [x, y, n, m], [invert(eq(x, y)), invert(lt(n, m)), invert(invert(n))]


def _never_example() -> tuple[list[Any], list[Any]]:
    (n,) = vectors("n", dtype="int64")
    return [n], [Elemwise(scalar_isnan)(n)]


def _upcast_example() -> tuple[list[Any], list[Any]]:
    (x,) = vectors("x")
    one = constant(np.array([1], "int8"))
    return [x], [add(x, one), true_div(one, x)]


def _back_example() -> tuple[list[Any], list[Any]]:
    x = tensor_type("float64", ())("x")
    inside = scalar_from_tensor(tensor_from_scalar(scalar_from_tensor(x)))
    return [x], [tensor_from_scalar(inside)]


def _view_example() -> tuple[list[Any], list[Any]]:
    (x,) = vectors("x")
    return [x], [add(view_op(x), 1.0)]


EXAMPLES = {
    "constants_upcast": _upcast_example,
    "one_input": _one_input_example,
    "product_with_zero": _zero_example,
    "zero_divided": _zero_div_example,
    "power_zero": _power_example,
    "difference_with_itself": _difference_example,
    "divided_by_one": _whole_example,
    "compared_with_itself": _self_example,
    "length_compared": _length_example,
    "length_bounded": _bound_example,
    "logic_with_constant": _logic_example,
    "logic_with_itself": _logic_self_example,
    "opposite": _opposite_example,
    "never_of_integers": _never_example,
    "there_and_back": _back_example,
    "useless_view": _view_example,
}
