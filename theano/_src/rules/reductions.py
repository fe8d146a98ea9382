"""Reductions (sum, prod, max, min): move factors out, reduce fewer elements, merge reductions."""

from __future__ import annotations

import copy
import math
from typing import Any

from theano._src.graph.graph import Apply, Constant
from theano._src.ops.core.cast import cast
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import (
    Add,
    Maximum,
    Minimum,
    Mul,
    Neg,
    Sqr,
    TrueDiv,
    add,
    maximum,
    minimum,
    mul,
    neg,
    pow,
    sqr,
    true_div,
)
from theano._src.ops.linalg.dot import dot
from theano._src.ops.reduce.any_all import All, Any as AnyOf
from theano._src.ops.reduce.careduce import CAReduce, CAReduceDtype, Max, Min, Prod, Sum, sum
from theano._src.ops.reduce.max_min import Argmax, MaxAndArgmax
from theano._src.ops.shape.alloc import Alloc, alloc
from theano._src.ops.shape.join import Join
from theano._src.ops.shape.static_values import product
from theano._src.rewrite.pattern import uniform_value
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.chains import MODERATE_BITS, range_bits
from theano._src.rules.lengths import length_of

#: dtypes in which a factor may move out of a sum; integers wrap in the same way
_SCALED = ("float32", "float64", "complex64", "complex128", "int64", "uint64")


def _under(node: Apply, kind: type) -> Apply | None:
    """Return the elementwise node of class ``kind`` that is reduced, if no dtype changes."""
    (x,) = node.inputs
    inner = x.owner
    if inner is None or not isinstance(inner.op, Elemwise) or inner.op.inplace_items:
        return None
    if type(inner.op.scalar_op) is not kind:
        return None
    dtypes = {v.type.dtype for v in (*inner.inputs, x, *node.outputs)}
    return inner if len(dtypes) == 1 and dtypes <= set(_SCALED) else None


def _axes(node: Apply) -> tuple[int, ...]:
    axis = node.op.axis
    return tuple(range(node.inputs[0].type.ndim)) if axis is None else axis


def sum_of_scaled(node: Apply) -> list[Any] | None:
    """sum(c * x) -> c * sum(x)"""
    inner = _under(node, Mul)
    if inner is None:
        return None
    scales: list[Any] = [v for v in inner.inputs if all(v.type.broadcastable)]
    rest: list[Any] = [v for v in inner.inputs if not all(v.type.broadcastable)]
    if not scales or not rest:
        return None
    if len(rest) > 1 and math.fsum(map(_range_bits, scales)) > MODERATE_BITS:
        return None  # a product without them may be out of range where the terms are not
    total = node.op(rest[0] if len(rest) == 1 else mul(*rest))
    return [mul(*[_number(v) for v in scales], total)]


def _range_bits(v: Any) -> float:
    """Return by how many powers of two a constant float changes a value; 0 for others."""
    value = uniform_value(v) if v.type.numpy_dtype.kind in "fc" else None
    return 0.0 if value is None else range_bits(value)


def _number(v: Any) -> Any:
    return DimShuffle(v.type.broadcastable, ())(v) if v.ndim else v


def sum_of_negated(node: Apply) -> list[Any] | None:
    """sum(-x) -> -sum(x)"""
    inner = _under(node, Neg)
    return None if inner is None else [neg(node.op(inner.inputs[0]))]


def prod_of_scaled(fgraph: Any, node: Apply) -> list[Any] | None:
    """prod(n * x) -> n ** size * prod(x), for 64-bit integers"""
    inner = _under(node, Mul)
    if inner is None or node.outputs[0].type.dtype not in ("int64", "uint64"):
        return None  # for floats the power may be out of range where the product is not
    scales: list[Any] = [v for v in inner.inputs if all(v.type.broadcastable)]
    rest: list[Any] = [v for v in inner.inputs if not all(v.type.broadcastable)]
    if not scales or not rest:
        return None
    x = rest[0] if len(rest) == 1 else mul(*rest)
    size = product([length_of(fgraph, inner.outputs[0], d) for d in _axes(node)])
    dtype = node.outputs[0].type.dtype
    size = cast(size, dtype)
    return [mul(*[pow(_number(v), size) for v in scales], node.op(x))]


def sum_of_quotient(node: Apply) -> list[Any] | None:
    """sum(x / y) -> sum(x) / y where y is constant along the summed axes"""
    inner = _under(node, TrueDiv)
    if inner is None:
        return None
    x, y = inner.inputs
    axes = _axes(node)
    alike: Any = y.type.broadcastable
    if not axes or not all(alike[a] for a in axes):
        return None
    if any(x.type.broadcastable[a] != node.inputs[0].type.broadcastable[a] for a in axes):
        return None
    kept = [d for d in range(len(alike)) if d not in axes]
    return [true_div(node.op(x), DimShuffle(alike, kept)(y))]


def over_all_axes(node: Apply) -> list[Any] | None:
    """Sum{0, 1}(matrix) -> Sum(matrix)"""
    axis = node.op.axis
    if axis is None or len(axis) != node.inputs[0].type.ndim or not axis:
        return None
    return [_with_axis(node.op, None)(node.inputs[0])]


def _with_axis(op: Any, axis: Any) -> Any:
    new = copy.copy(op)
    new.axis = axis
    return new


_FOLDED = (Sum, Prod, Max, Min, All, AnyOf)


def reduction_of_reduction(node: Apply) -> list[Any] | None:
    """sum(sum(x, axis=0), axis=0) -> sum(x, axis=(0, 1))"""
    (mid,) = node.inputs
    inner = mid.owner
    if inner is None or type(inner.op) is not type(node.op) or len(mid._clients or ()) > 1:
        return None
    (x,) = inner.inputs
    if isinstance(node.op, CAReduceDtype):
        # rounding or wrapping in between must also happen at the end
        facts = {(op.dtype, op.acc_dtype) for op in (node.op, inner.op)}
        if len(facts) > 1 or mid.type.dtype != node.outputs[0].type.dtype:
            return None
    if node.op.axis is None or inner.op.axis is None:
        return [_with_axis(node.op, None)(x)]
    left = [d for d in range(x.type.ndim) if d not in inner.op.axis]
    axes = sorted([*inner.op.axis, *(left[a] for a in node.op.axis)])
    return [_with_axis(node.op, tuple(axes))(x)]


_ELEMENTWISE = {Add: add, Mul: mul, Maximum: maximum, Minimum: minimum}


def reduction_of_join(node: Apply) -> list[Any] | None:
    """sum(stack([x, y]), axis=0) -> x + y"""
    joined = node.inputs[0].owner
    if joined is None or not isinstance(joined.op, Join) or _axes(node) != (0,):
        return None
    where, *parts = joined.inputs
    if not isinstance(where, Constant) or int(where.data) != 0:
        return None
    scalar_op = node.op.scalar_op
    if len(parts) < 2 or (len(parts) > 2 and isinstance(scalar_op, Maximum | Minimum)):
        return None
    if not isinstance(node.op, Sum | Prod | Max | Min):
        return None
    inputs: list[Any] = []
    for part in parts:
        result = part.owner
        if result is None or not isinstance(result.op, DimShuffle):
            return None
        (x,) = result.inputs
        if result.op.new_order != ("x", *range(x.type.ndim)):
            return None
        inputs.append(x)
    # a join does not broadcast: broadcastable types would hide an error
    if len({x.type for x in inputs}) != 1 or inputs[0].type != node.outputs[0].type:
        return None
    if inputs[0].type.dtype == "float16" and len(inputs) > 2:
        return None
    return [_ELEMENTWISE[type(scalar_op)](*inputs)]


def useless_reduction(node: Apply) -> list[Any] | None:
    """sum(x, axis=()) -> x"""
    (x,) = node.inputs
    return [x] if x.type == node.outputs[0].type and not _axes(node) else None


def reduction_over_ones(node: Apply) -> list[Any] | None:
    """sum(row, axis=0) -> row.dimshuffle(1): dimensions of length 1 are dropped"""
    (x,) = node.inputs
    pattern: Any = x.type.broadcastable
    axes = _axes(node)
    ones = [a for a in axes if pattern[a]]
    if not ones:
        return None
    order = [d for d in range(len(pattern)) if d not in ones]
    if len(ones) < len(axes):
        new = tuple(i for i, d in enumerate(order) if d in axes)
        axis = None if len(new) == len(order) else new
        return [_with_axis(node.op, axis)(DimShuffle(pattern, order)(x))]
    dtype = node.outputs[0].type.dtype
    if x.type.dtype != dtype and getattr(node.op, "acc_dtype", dtype) != dtype:
        return None  # the accumulator has another dtype
    return [cast(DimShuffle(pattern, order)(x), dtype)]


def sum_of_alloc(node: Apply) -> list[Any] | None:
    """sum(alloc(v, n)) -> v * n; prod(alloc(v, n)) -> v ** n"""
    (x,) = node.inputs
    result = x.owner
    if result is None or not isinstance(result.op, Alloc):
        return None
    value, *lengths = result.inputs
    out: Any = node.outputs[0]
    dtype = out.type.dtype
    if dtype not in _SCALED or value.type.dtype != dtype or not all(value.type.broadcastable):
        return None
    axes = _axes(node)
    size = product([lengths[a] for a in axes])
    if isinstance(node.op, Sum):
        new = mul(_number(value), cast(size, dtype))
    else:
        # a count that the dtype rounds may be even where it was odd
        wide = {"float32": "float64", "complex64": "complex128"}.get(dtype, dtype)
        new = cast(pow(cast(_number(value), wide), cast(size, wide)), dtype)
    kept = [n for d, n in enumerate(lengths) if d not in axes]
    new = alloc(new, *kept) if kept else new
    return [new] if new.type == out.type else None


def max_of_negated(node: Apply) -> list[Any] | None:
    """-max(-x) -> min(x); -min(-x) -> max(x)"""
    result = node.inputs[0].owner
    if result is None or not isinstance(result.op, Max | Min):
        return None
    inner = result.inputs[0].owner
    if inner is None or not isinstance(inner.op, Elemwise) or type(inner.op.scalar_op) is not Neg:
        return None
    (x,) = inner.inputs
    if x.type.numpy_dtype.kind != "f":
        return None  # the lowest integer is its own negative
    return [(Min if isinstance(result.op, Max) else Max)(result.op.axis)(x)]


def half_of_max_and_argmax(node: Apply) -> list[Any] | None:
    """MaxAndArgmax(x) -> Max(x), or Argmax(x), where only that is used"""
    largest, place = node.outputs
    if not place._clients:
        return [Max(node.op.axis)(node.inputs[0]), None]
    if not largest._clients:
        return [None, Argmax(node.op.axis)(node.inputs[0])]
    return None


def sum_of_squared_products(node: Apply) -> list[Any] | None:
    """sum((w[None, :, :] * g[:, None, :]) ** 2, axis=(1, 2)) -> dot(g ** 2, sum(w ** 2, axis=0))"""
    squared = _under(node, Sqr)
    if squared is None or node.inputs[0].type.ndim != 3 or set(_axes(node)) != {1, 2}:
        return None
    result = squared.inputs[0].owner
    if (
        result is None
        or not isinstance(result.op, Elemwise)
        or result.op.scalar_op != mul.scalar_op
    ):
        return None
    if len(result.inputs) != 2:
        return None
    by_order = {
        v.owner.op.new_order: v.owner.inputs[0]
        for v in result.inputs
        if v.owner is not None and isinstance(v.owner.op, DimShuffle)
    }
    w, g = by_order.get(("x", 0, 1)), by_order.get((0, "x", 1))
    if w is None or g is None or w.type.broadcastable[1] != g.type.broadcastable[1]:
        return None  # dot does not repeat a column
    new = dot(sqr(g), sum(sqr(w), axis=0))
    return [new] if new.type == node.outputs[0].type else None


_ROUNDING = "the last digits may differ"
_BOTH = "canonicalize specialize"
_SCALAR = ("local_sum_prod_mul_by_scalar", "local_sum_mul_by_scalar")

# fmt: off
RULES = (
    FunctionRule(useless_reduction, "useless_reduction", _BOTH, [CAReduce], depth=1,
                 tags=("local_useless_reduce", "local_cut_useless_reduce", "local_useless",
                       "fast_compile")),
    FunctionRule(reduction_over_ones, "reduction_over_ones", _BOTH + " uncanonicalize",
                 [Sum, Prod, All, AnyOf],
                 tags=("local_reduce_broadcastable",), depth=1),
    # after algebra, which rewrites x - x to 0: max(x) - min(x) must be NaN where x is NaN
    FunctionRule(reduction_over_ones, "greatest_of_ones", "uncanonicalize", [Max, Min],
                 tags=("local_reduce_broadcastable",), depth=1),
    FunctionRule(over_all_axes, "over_all_axes", "canonicalize", [Sum, Prod, Max, Min], depth=1,
                 tags=("local_sum_prod_all_to_none", "local_sum_all_to_none")),
    FunctionRule(reduction_of_reduction, "reduction_of_reduction", "canonicalize", _FOLDED,
                 tags=("local_op_of_op", "local_sum_sum"), hazard=_ROUNDING),
    FunctionRule(reduction_of_join, "reduction_of_join", "canonicalize uncanonicalize", [CAReduce],
                 tags=("local_reduce_join",), hazard=_ROUNDING, depth=3),
    FunctionRule(sum_of_quotient, "sum_of_quotient", _BOTH, [Sum],
                 tags=("local_sum_prod_div_dimshuffle", "local_sum_div_dimshuffle"),
                 hazard=_ROUNDING + "; infinite where the sum overflows before it is divided; "
                 "NaN, not 0, where a sum of no numbers is divided by 0"),
    FunctionRule(sum_of_scaled, "sum_of_scaled", "specialize", [Sum], tags=_SCALAR,
                 hazard=_ROUNDING + "; NaN where an infinite scale meets no elements at all"),
    FunctionRule(sum_of_negated, "sum_of_negated", "specialize", [Sum], tags=_SCALAR),
    FunctionRule(prod_of_scaled, "prod_of_scaled", "specialize", [Prod], tags=_SCALAR),
    FunctionRule(sum_of_alloc, "sum_of_alloc", "specialize", [Sum, Prod],
                 tags=("local_opt_alloc",),
                 hazard=_ROUNDING + "; NaN where an infinite value is repeated no times"),
    FunctionRule(sum_of_squared_products, "sum_of_squared_products", _BOTH, [Sum], depth=4,
                 tags=("local_sumsqr2dot",), opt_in=True,
                 hazard=_ROUNDING + "; infinite where a square overflows and the product does not"),
    FunctionRule(max_of_negated, "max_of_negated", "canonicalize uncanonicalize", [Neg],
                 tags=("local_max_to_min",), depth=3),
    FunctionRule(half_of_max_and_argmax, "half_of_max_and_argmax", "uncanonicalize",
                 [MaxAndArgmax], tags=("local_max_and_argmax",), depth=1),
)
# fmt: on
