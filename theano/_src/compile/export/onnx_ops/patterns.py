"""Expressions of several nodes that are one ONNX operator; nodes left unused are not written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from theano._src.compile.export.onnx_ops.context import Export
from theano._src.compile.export.onnx_ops.reductions import folded
from theano._src.compile.export.onnx_ops.shapes import length_of, origin
from theano._src.compile.export.onnx_ops.windows import FORMS as WINDOWS, convolution
from theano._src.compile.export.onnx_ops.writer import Value
from theano._src.graph.graph import Apply, Variable
from theano._src.ops.core.cast import Cast
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.core.scalar import ScalarOp
from theano._src.ops.elementwise.arithmetic import Add, Mul, Sqrt, Sub, TrueDiv
from theano._src.ops.linalg.blas import Dot22
from theano._src.ops.linalg.dot import Dot
from theano._src.ops.reduce.careduce import Sum

#: returns the value of a node if it is the last of such an expression, else None
Pattern = Callable[[Export, Apply], Value | None]


def _inputs(v: Variable, kind: type[ScalarOp], count: int) -> list[Variable] | None:
    """The inputs of the elementwise op that computes ``v``, if it is of this kind."""
    at = v.owner
    if at is None or not isinstance(at.op, Elemwise) or not isinstance(at.op.scalar_op, kind):
        return None
    return list(at.inputs) if len(at.inputs) == count else None


# sums where one term is the bias of another


def with_bias(to: Export, node: Apply) -> Value | None:
    """Write each pair of a term and its bias as one operator; None if there is no pair."""
    dtype, ndim = to.dtype(node.outputs[0]), node.outputs[0].type.ndim
    if dtype.kind != "f" or any(to.dtype(v) != dtype for v in node.inputs):
        return None
    biases = [v for v in node.inputs if v.type.broadcastable == _by_channel(ndim)]
    result, left = [], []
    for v in node.inputs:
        if v.type.broadcastable == _by_channel(ndim):
            continue
        one = _pair(to, v, biases[0]) if biases else None
        if one is None:
            left.append(v)
        else:
            result.append(one)
            del biases[0]
    return reduce(add, [*result, *map(to.value, (*left, *biases))]) if result else None


def _by_channel(ndim: int) -> tuple[bool, ...]:
    """The broadcast pattern of parameters with an element for each channel."""
    return (True, False, *[True] * (ndim - 2))


def _pair(to: Export, term: Variable, bias: Variable) -> Value | None:
    result = _biased(to, term, bias)
    return _normalized(to, term, bias) if result is None else result


def _biased(to: Export, product: Variable, bias: Variable) -> Value | None:
    """Write ``dot(x, w) + b`` as Gemm, and ``conv2d(x, w) + b`` as Conv."""
    at, dtype = product.owner, to.dtype(product)
    if at is None or to.uses[product] != 1 or bias.owner is None:
        return None
    if not isinstance(bias.owner.op, DimShuffle):
        return None
    (b,), order = bias.owner.inputs, bias.owner.op.new_order
    if b.type.ndim != 1 or b.type.broadcastable[0]:
        return None
    if type(at.op) in (Dot, Dot22) and order == ("x", 0) and at.outputs[0].type.ndim == 2:
        factors = [to.value(v).astype(dtype) for v in (*at.inputs, b)]
        return to.to.op("Gemm", *factors)
    if WINDOWS.get(type(at.op)) is convolution and order == ("x", 0, *["x"] * at.op.convdim):
        value: Value = convolution(to, at, *map(to.value, at.inputs), to.value(b))
        return value
    return None


def _normalized(to: Export, scaled: Variable, beta: Variable) -> Value | None:
    """``(x - mean) * gamma / sqrt(var + epsilon) + beta`` by channel as BatchNormalization."""
    parts = _over_root(scaled) or _times_rate(scaled)
    if parts is None:
        return None
    away, gamma, root = parts
    centred = _inputs(away, Sub, 2)
    raised = _inputs(root, Sqrt, 1)
    terms = _inputs(raised[0], Add, 2) if raised else None
    if centred is None or terms is None:
        return None
    numbers = [to.numbers_of(v) for v in terms]
    if (numbers[0] is None) == (numbers[1] is None):
        return None
    var, number = (terms[1], numbers[0]) if numbers[1] is None else (terms[0], numbers[1])
    x, mean = centred
    return _normalization(to, x, [gamma, beta, mean, var], number)


def _over_root(v: Variable) -> tuple[Variable, Variable, Variable] | None:
    """Match ``(x - mean) * gamma / root``."""
    parts = _inputs(v, TrueDiv, 2)
    factors = _inputs(parts[0], Mul, 2) if parts else None
    return None if parts is None or factors is None else (*_first_is_sub(factors), parts[1])


def _times_rate(v: Variable) -> tuple[Variable, Variable, Variable] | None:
    """Match ``(x - mean) * (gamma / root)``."""
    factors = _inputs(v, Mul, 2)
    if factors is None:
        return None
    away, rate = _first_is_sub(factors)
    parts = _inputs(rate, TrueDiv, 2)
    return None if parts is None else (away, parts[0], parts[1])


def _first_is_sub(factors: list[Variable]) -> tuple[Variable, Variable]:
    a, b = factors
    return (a, b) if _inputs(a, Sub, 2) else (b, a)


def _normalization(
    to: Export, x: Variable, params: Sequence[Variable], number: np.ndarray[Any, Any] | None
) -> Value | None:
    """BatchNormalization, if all parameters have an element for each channel; else None."""
    dtype = to.dtype(x)
    if number is None or number.size != 1 or x.type.ndim < 2:
        return None
    epsilon = float(number.item())
    if dtype == "float64" and float(np.float32(epsilon)) != epsilon:
        return None  # attributes are float32
    pattern = _by_channel(x.type.ndim)
    if any(v.type.broadcastable != pattern or to.dtype(v) != dtype for v in params):
        return None
    vectors = [_as_vector(to, v) for v in params]
    return to.to.op("BatchNormalization", to.value(x), *vectors, epsilon=epsilon)


def _as_vector(to: Export, v: Variable) -> Value:
    """A parameter as a vector with an element for each channel."""
    at = v.owner
    if at is not None and isinstance(at.op, DimShuffle) and at.inputs[0].type.ndim == 1:
        return to.value(at.inputs[0])
    value = to.value(v)
    if value.array is not None:
        return to.to.constant(value.array.reshape(-1), name=f"{value.name}_vector")
    return to.to.reshape(value, -1)


# means


def mean(to: Export, node: Apply) -> Value | None:
    """Write a sum divided by the number of its terms as ReduceMean."""
    total, count = node.inputs
    at, keep = total.owner, False
    if at is not None and isinstance(at.op, DimShuffle):
        at, keep = at.inputs[0].owner, True
    if at is None or not isinstance(at.op, Sum):
        return None
    (x,) = at.inputs
    dtype, ndim = to.dtype(node.outputs[0]), x.type.ndim
    if dtype.kind != "f" or {to.dtype(x), to.dtype(total)} != {dtype}:
        return None
    axes = tuple(range(ndim)) if at.op.axis is None else at.op.axis
    if keep and total.owner.op.new_order != _kept(ndim, axes):  # type: ignore[union-attr]
        return None
    results = [length_of(_number(v)) for v in _factors(_number(count))]
    wanted = [a for a in axes if not x.type.broadcastable[a]]
    if sorted(f[1] for f in results if f is not None) != wanted or None in results:
        return None
    if any(origin(v, a) is not origin(x, a) for v, a in filter(None, results)):
        return None
    return folded(to, "ReduceMean", to.value(x), at.op.axis, keep)


def _kept(ndim: int, axes: tuple[int, ...]) -> tuple[Any, ...]:
    """The dimshuffle order that restores the reduced axes of a sum."""
    left = iter(range(ndim))
    return tuple("x" if i in axes else next(left) for i in range(ndim))


def _number(v: Variable) -> Variable:
    """A scalar before casts and added dimensions."""
    while v.owner is not None:
        op, first = v.owner.op, v.owner.inputs[0]
        padded = isinstance(op, DimShuffle) and first.type.ndim == 0
        cast = isinstance(op, Elemwise) and isinstance(op.scalar_op, Cast)
        if not (padded or cast):
            break
        v = first
    return v


def _factors(v: Variable) -> list[Variable]:
    at = v.owner
    product = at is not None and isinstance(at.op, Elemwise) and isinstance(at.op.scalar_op, Mul)
    return list(at.inputs) if product and at is not None else [v]


PATTERNS: dict[type[ScalarOp], tuple[Pattern, ...]] = {
    Add: (with_bias,),
    TrueDiv: (mean,),
}
