"""Powers to known exponents, factors of -1, and absolute values of products."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from theano._src.graph.graph import Apply, Owned
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import (
    Abs,
    Mul,
    Pow,
    TrueDiv,
    abs_,
    inv,
    mul,
    neg,
    sqr,
)
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.useless import number_of
from theano._src.types.dtypes import discrete_dtypes, uint_dtypes

#: the highest powers that are multiplied out, of floats (each step adds an error) and integers
_MOST, _MOST_WHOLE = 8, 64


def _is_float(v: Any) -> bool:
    return v.type.dtype in ("float32", "float64")


def _is_of(v: Any, *kinds: type) -> TypeGuard[Owned]:
    node = v.owner
    return (
        node is not None
        and isinstance(node.op, Elemwise)
        and type(node.op.scalar_op) in kinds
        and not node.op.inplace_items
    )


def negative_power(node: Apply) -> list[Any] | None:
    """x ** -1 -> 1 / x; x ** -2 -> 1 / x**2"""
    x, out = node.inputs[0], node.outputs[0]
    if x.type != out.type or x.type.numpy_dtype.kind != "f":
        return None
    n = number_of(node.inputs[1])
    if n == -1:
        return [inv(x)]
    return [inv(sqr(x))] if n == -2 else None


def power_multiplied_out(node: Apply) -> list[Any] | None:
    """x ** 3 -> x**2 * x, x ** 8 -> ((x**2)**2)**2, x ** -4 -> 1 / (x**2)**2"""
    x, out = node.inputs[0], node.outputs[0]
    if x.type != out.type or node.op.inplace_items:
        return None
    n = number_of(node.inputs[1])
    if n is None or np.iscomplexobj(n) or not abs(n) <= _MOST_WHOLE or n != int(n):
        return None
    n = int(n)
    if x.type.dtype in discrete_dtypes:
        if n < 3:
            return None
    elif not _is_float(x) or not 3 <= abs(n) <= _MOST:
        return None
    factors: list[Any] = []
    square: Any = x
    left = abs(n)
    while left:
        if left % 2:
            factors.append(square)
        left //= 2
        if left:
            square = sqr(square)
    new = factors[0] if len(factors) == 1 else mul(*reversed(factors))
    return [inv(new) if n < 0 else new]


def minus_one_times(node: Apply) -> list[Any] | None:
    """-1 * x -> -x"""
    if len(node.inputs) != 2 or node.op.inplace_items:
        return None
    out: Any = node.outputs[0]
    if out.type.dtype in (*uint_dtypes, "bool"):
        return None
    for a, b in (node.inputs, node.inputs[::-1]):
        if b.type == out.type and number_of(a) == -1:
            return [neg(b)]
    return None


def abs_of_product(node: Apply) -> list[Any] | None:
    """|x * y| -> |x| * |y|; |x / y| -> |x| / |y|"""
    (x,) = node.inputs
    if node.op.inplace_items or x.type != node.outputs[0].type or not _is_float(x):
        return None
    if not _is_of(x, Mul, TrueDiv) or len(x._clients or ()) > 1:
        return None
    parts: Any = x.owner.inputs
    if any(v.type.dtype != x.type.dtype for v in parts):
        return None
    return [x.owner.op(*[abs_(v) for v in parts])]


def product_of_abs(node: Apply) -> list[Any] | None:
    """|x| * |y| -> |x * y|; |x| / |y| -> |x / y|"""
    out: Any = node.outputs[0]
    if node.op.inplace_items or not _is_float(out):
        return None
    parts: list[Any] = []
    result = 0
    for v in node.inputs:
        if _is_of(v, Abs) and v.owner.inputs[0].type == v.type:
            result += 1
            parts.append(v.owner.inputs[0])
            continue
        n = number_of(v)
        if n is None or not n >= 0:
            return None
        parts.append(v)
    if result < 2:
        return None
    return [abs_(node.op(*parts))]


_ROUNDING = "the last digits may differ"

# fmt: off
RULES = (
    FunctionRule(negative_power, "negative_power", "specialize", [Pow], depth=1,
                 tags=("local_pow_specialize",),
                 hazard=_ROUNDING + "; 0 or infinite where the square is out of range"),
    FunctionRule(power_multiplied_out, "power_multiplied_out", "specialize_device", [Pow], depth=1,
                 tags=("local_pow_specialize_device",),
                 hazard=_ROUNDING + "; a negative power is 0 where the positive one overflows"),
    FunctionRule(minus_one_times, "minus_one_times", "specialize", [Mul], depth=1,
                 tags=("local_mul_specialize",)),
    FunctionRule(abs_of_product, "abs_of_product", "canonicalize", [Abs],
                 tags=("local_abs_lift",)),
    FunctionRule(product_of_abs, "product_of_abs", "specialize", [Mul, TrueDiv],
                 tags=("local_abs_merge",)),
)
# fmt: on
