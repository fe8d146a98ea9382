"""Dimensions, lengths, joining and filling; and ops that return their first input."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.compile.export.onnx_ops.context import Export, Form
from theano._src.compile.export.onnx_ops.writer import Value
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.ops.conv.conv import AbstractConv
from theano._src.ops.conv.pool import Pool
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.index.subtensor import Subtensor
from theano._src.ops.linalg.dot import Dot
from theano._src.ops.meta import contiguous, grad_views, misc
from theano._src.ops.shape.alloc import Alloc, AllocEmpty, Tile
from theano._src.ops.shape.check_lengths import CheckLengths
from theano._src.ops.shape.dims import Rebroadcast
from theano._src.ops.shape.join import Join, MakeVector, Split
from theano._src.ops.shape.ranges import ARange, Eye, Tri
from theano._src.ops.shape.shape import Flatten, Reshape, Shape, Shape_i, SpecifyShape


def same(to: Export, node: Apply, x: Value, *checked: Any) -> Value:
    """Return the first input; the model does not have the checks and prints of the op."""
    return x


def dimshuffle(to: Export, node: Apply, x: Value) -> Value:
    """Use Squeeze, Transpose and Unsqueeze, as far as needed."""
    op, w = node.op, to.to
    left = [i for i in range(len(op.input_broadcastable)) if i not in op.drop]
    if x.data is not None and x.data.size == 1:
        return w.constant(x.data.reshape((1,) * len(op.new_order)))
    x = w.squeeze(x, *op.drop)
    x = w.transpose(x, [left.index(o) for o in op.shuffle])
    return w.unsqueeze(x, *op.augment)


def shape(to: Export, node: Apply, x: Value) -> Value:
    return to.to.shape(x)


def shape_i(to: Export, node: Apply, x: Value) -> Value:
    if x.array is not None:
        return to.to.constant(np.array(x.array.shape[node.op.i], "int64"))
    return to.to.scalar(to.to.length(x, node.op.i))


def length_of(v: Variable) -> tuple[Variable, int] | None:
    """The variable and axis whose length ``v`` is, as Shape_i or ``shape[i]``; else None."""
    at = v.owner
    if at is None:
        return None
    if isinstance(at.op, Shape_i):
        return at.inputs[0], at.op.i
    if not isinstance(at.op, Subtensor) or v.type.ndim or not isinstance(at.inputs[-1], Constant):
        return None
    shape = at.inputs[0].owner
    if shape is None or not isinstance(shape.op, Shape):
        return None
    (x,), i = shape.inputs, int(at.inputs[-1].data)
    return (x, i % x.type.ndim) if -x.type.ndim <= i < x.type.ndim else None


def _as_vector(to: Export, v: Variable, dtype: Any = "int64") -> Value:
    """Convert a scalar to a vector; a length is read as a vector directly."""
    x, length = to.value(v), length_of(v)
    if length is not None and x.data is None:
        return to.to.length(to.value(length[0]), length[1]).astype(dtype)
    if x.data is not None:
        return to.to.constant(x.data.reshape(1).astype(dtype))
    return to.to.op("Reshape", x.astype(dtype), to.to.ints(1))


def lengths(to: Export, variables: Any) -> Value:
    """Concatenate scalars to an int64 vector."""
    results = [to.numbers_of(v) for v in variables]
    if all(n is not None for n in results):
        return to.to.ints(*[int(n) for n in results if n is not None])
    return to.to.concat([_as_vector(to, v) for v in variables])


def make_vector(to: Export, node: Apply, *inputs: Value) -> Value:
    dtype = to.dtype(node.outputs[0])
    if not inputs:
        return to.to.constant(np.zeros(0, dtype))
    return to.to.concat([_as_vector(to, v, dtype) for v in node.inputs])


# reshaping


def reshape(to: Export, node: Apply, x: Value, shape: Value) -> Value:
    """Use Reshape with 0 for unchanged lengths and -1 for one other, so that batches can vary."""
    target = _target(to, node)
    if target == [0, -1]:
        return to.to.op("Flatten", x, axis=1)
    if target is not None:
        return to.to.reshape(x, *target)
    return to.to.op("Reshape", x, shape.astype("int64"), allowzero=1)


def _target(to: Export, node: Apply) -> list[int] | None:
    x, shape = node.inputs
    known = to.numbers_of(shape)
    if known is not None:
        results = [int(n) for n in known]
        return None if 0 in results else results
    if shape.owner is None or not isinstance(shape.owner.op, MakeVector):
        return None
    target: list[int] = []
    for i, v in enumerate(shape.owner.inputs):
        number = to.numbers_of(v)
        if number is not None:
            if int(number) == 0:
                return None  # 0 would mean an unchanged length
            target.append(int(number))
        elif _stays(v, x, i):
            target.append(0)
        else:
            target.append(-1)
    return None if target.count(-1) > 1 else target


def _stays(length: Variable, x: Variable, axis: int) -> bool:
    """Whether a length is the length of the same axis of ``x``."""
    result = length_of(length)
    if result is None or result[1] != axis or axis >= x.type.ndim:
        return False
    return origin(result[0], axis) is origin(x, axis)


def origin(v: Variable, axis: int) -> Variable:
    """The earliest ancestor that is known to have the length of ``v`` along an axis."""
    while v.owner is not None and not v.type.broadcastable[axis]:
        op, inputs = v.owner.op, v.owner.inputs
        if isinstance(op, Elemwise):
            v = next(x for x in inputs if not x.type.broadcastable[axis])
        elif (
            (isinstance(op, Pool) and axis < v.type.ndim - op.ndim)
            or (isinstance(op, AbstractConv) and axis == 0)
            or (isinstance(op, Dot) and axis == 0 and inputs[0].type.ndim == 2)
        ):
            v = inputs[0]
        else:
            break
    return v


def flatten(to: Export, node: Apply, x: Value) -> Value:
    outdim = node.op.outdim
    if outdim == 2:
        return to.to.op("Flatten", x, axis=1)
    return to.to.reshape(x, *[0] * (outdim - 1), -1)


# joining


def join(to: Export, node: Apply, axis: Value, *tensors: Value) -> Value:
    at = to.int_of(node.inputs[0], "the axis of Concat")
    dtype = to.dtype(node.outputs[0])
    return to.to.concat([x.astype(dtype) for x in tensors], at)


def split(to: Export, node: Apply, x: Value, axis: Value, splits: Value) -> list[Value]:
    at = to.int_of(node.inputs[1], "the axis of Split")
    dtypes = [None] * node.op.len_splits
    return to.to.many("Split", [x, splits.astype("int64")], dtypes, axis=at)


# filling


def alloc(to: Export, node: Apply, value: Value, *shape: Value) -> Value:
    return to.to.op("Expand", value, lengths(to, node.inputs[1:])) if shape else value


def alloc_empty(to: Export, node: Apply, *shape: Value) -> Value:
    zero = to.to.constant(0, to.dtype(node.outputs[0]))
    return to.to.op("Expand", zero, lengths(to, node.inputs)) if shape else zero


def tile(to: Export, node: Apply, x: Value, reps: Value) -> Value:
    missing = node.op.ndim - node.inputs[0].type.ndim
    return to.to.op("Tile", to.to.unsqueeze(x, *range(missing)), reps.astype("int64"))


def arange(to: Export, node: Apply, *ends: Value) -> Value:
    dtype = to.dtype(node.outputs[0])
    inside = np.result_type(dtype, *(x.dtype for x in ends))
    inside = to.written(inside if inside.kind == "f" else "int64")
    inside = np.dtype("float32") if inside == "float16" else inside
    return to.to.op("Range", *[x.astype(inside) for x in ends])


def on_grid(to: Export, node: Apply, n: Value, m: Value, k: Value) -> Value:
    """Write ones where the op's condition on column minus row holds."""
    w = to.to
    rows, columns = (w.arange(x.astype("int64")) for x in (n, m))
    offsets = columns - w.unsqueeze(rows, 1)
    return node.op.holds(offsets, k.astype("int64"))  # type: ignore[no-any-return]


_SAME = (
    CheckLengths,
    Rebroadcast,
    SpecifyShape,
    contiguous.CpuContiguous,
    grad_views.ConsiderConstant,
    grad_views.DisconnectedGrad,
    grad_views.GradClip,
    grad_views.GradScale,
    grad_views.UndefinedGrad,
    grad_views.ZeroGrad,
    misc.Assert,
    misc.DeepCopyOp,
    misc.OutputGuard,
    misc.Print,
    misc.ScalarFromTensor,
    misc.TensorFromScalar,
    misc.ViewOp,
)

FORMS: dict[type[Op], Form] = {
    **dict.fromkeys(_SAME, same),
    DimShuffle: dimshuffle,
    Shape: shape,
    Shape_i: shape_i,
    MakeVector: make_vector,
    Reshape: reshape,
    Flatten: flatten,
    Join: join,
    Split: split,
    Alloc: alloc,
    AllocEmpty: alloc_empty,
    Tile: tile,
    ARange: arange,
    Eye: on_grid,
    Tri: on_grid,
}
