"""Sums, products, extremes and their positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from theano._src.compile.export.onnx_ops.context import Export, Form
from theano._src.compile.export.onnx_ops.writer import NoForm, Value
from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ops.elementwise import arithmetic, compare
from theano._src.ops.reduce.any_all import All, Any as AnyOp
from theano._src.ops.reduce.careduce import CAReduce, CAReduceDtype, Max, Min, Prod, Sum
from theano._src.ops.reduce.max_min import Argmax, Argmin, MaxAndArgmax
from theano._src.ops.reduce.statistics import Mean

_OPERATORS: dict[type[Op], str] = {
    arithmetic.Add: "ReduceSum",
    arithmetic.Mul: "ReduceProd",
    arithmetic.Maximum: "ReduceMax",
    arithmetic.Minimum: "ReduceMin",
    compare.AND: "ReduceMin",
    compare.OR: "ReduceMax",
}


def folded(
    to: Export, op_type: str, x: Value, axes: Sequence[int] | None, keep: bool = False
) -> Value:
    """Reduce over axes; None means all axes."""
    if axes is not None and not axes:
        return x
    at = None if axes is None else to.to.ints(*axes)
    return to.to.op(op_type, x, *([] if at is None else [at]), keepdims=int(keep))


def reduction(to: Export, node: Apply, x: Value) -> Value:
    """Reduce in the promoted dtype of input and result; integers in int64, booleans in int32.

    Float32 is summed in float32: runtimes have their own accumulators.
    """
    op = node.op
    op_type = _OPERATORS.get(type(op.scalar_op))
    if op_type is None:
        raise NoForm(f"ONNX has no reduction by {op.scalar_op}")
    inside = np.promote_types(x.dtype, to.dtype(node.outputs[0]))
    if isinstance(op.scalar_op, compare.AND | compare.OR) and x.dtype != bool:
        raise NoForm("ONNX has no reduction by bits")
    if inside.kind in "biu":
        inside = np.dtype("int32" if inside.kind == "b" else "int64")
    return folded(to, op_type, x.astype(to.written(inside)), op.axis)


def of_bools(to: Export, node: Apply, x: Value) -> Value:
    # a sum, because the maximum of no elements is not a bool, but their sum is 0
    op_type = "ReduceMin" if isinstance(node.op, All) else "ReduceSum"
    return folded(to, op_type, x.astype(bool).astype("int32"), node.op.axis)


def mean(to: Export, node: Apply, x: Value) -> Value:
    return folded(to, "ReduceMean", x.astype(to.dtype(node.outputs[0])), node.op.axis)


def position(to: Export, node: Apply, x: Value) -> Value:
    op_type = "ArgMin" if isinstance(node.op, Argmin) else "ArgMax"
    return _position(to, op_type, x, node.op.axis or (), node.inputs[0].type.ndim)


def _position(to: Export, op_type: str, x: Value, axes: Sequence[int], ndim: int) -> Value:
    """The position among the elements along ``axes``, in C order."""
    x = ordered(x)
    if len(axes) == 1:
        return to.to.op(op_type, x, dtype="int64", axis=axes[0], keepdims=0)
    if not axes:
        return to.to.op("Expand", to.to.constant(0, "int64"), to.to.shape(x))
    kept = [i for i in range(ndim) if i not in axes]
    last = to.to.reshape(to.to.transpose(x, [*kept, *axes]), *[0] * len(kept), -1)
    return to.to.op(op_type, last, dtype="int64", axis=len(kept), keepdims=0)


def ordered(x: Value) -> Value:
    """Cast to a dtype for which runtimes have search and sort kernels."""
    if x.dtype == bool or x.dtype.name in ("int16", "uint16"):
        return x.astype("int32")
    return x.astype("int64") if x.dtype.name in ("uint32", "uint64") else x


def extreme_and_position(to: Export, node: Apply, x: Value) -> list[Value]:
    axes = node.op.axis
    wide = ordered(x)
    best = folded(to, "ReduceMax", wide, axes)
    return [best, _position(to, "ArgMax", wide, axes, node.inputs[0].type.ndim)]


FORMS: dict[type[Op], Form] = {
    **dict.fromkeys((CAReduce, CAReduceDtype, Sum, Prod, Max, Min), reduction),
    All: of_bools,
    AnyOp: of_bools,
    Mean: mean,
    Argmax: position,
    Argmin: position,
    MaxAndArgmax: extreme_and_position,
}
