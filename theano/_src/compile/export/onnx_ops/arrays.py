"""Sorting, cumulative sums, differences and other functions of whole arrays."""

from __future__ import annotations

from theano._src.compile.export.onnx_ops.context import Export, Form
from theano._src.compile.export.onnx_ops.reductions import ordered
from theano._src.compile.export.onnx_ops.writer import NoForm, Value
from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ops.arrays.cumulative import CumOp, DiffOp
from theano._src.ops.arrays.diagonal import ExtractDiag
from theano._src.ops.arrays.select import Nonzero, RepeatOp
from theano._src.ops.arrays.sort import ArgSortOp, SortOp, TopKOp
from theano._src.ops.arrays.split import Roll
from theano._src.ops.arrays.unique import Unique


def _top(to: Export, x: Value, k: Value, axis: int, largest: bool) -> list[Value]:
    """Values and positions; equal elements keep their order."""
    return to.to.many(
        "TopK", [ordered(x), k], [None, "int64"], axis=axis, largest=int(largest), sorted=1
    )


def _sorted(to: Export, node: Apply, x: Value) -> list[Value]:
    axis = to.int_of(node.inputs[1], "the axis of a sort") % node.inputs[0].type.ndim
    return _top(to, x, to.to.length(x, axis), axis, False)


def sort(to: Export, node: Apply, x: Value, axis: Value) -> Value:
    return _sorted(to, node, x)[0]


def argsort(to: Export, node: Apply, x: Value, axis: Value) -> Value:
    return _sorted(to, node, x)[1]


def topk(to: Export, node: Apply, x: Value, kth: Value) -> list[Value]:
    k = to.int_of(node.inputs[1], "topk")
    axis = node.op.axis % node.inputs[0].type.ndim
    if k < 0:
        raise NoForm("TopK of ONNX gives the largest elements; topk with a kth below 0 does not")
    values, places = _top(to, x, to.to.ints(k), axis, True)
    return [values] * node.op.return_values + [places] * node.op.return_indices


def cumulative(to: Export, node: Apply, x: Value) -> Value:
    op, dtype = node.op, to.dtype(node.outputs[0])
    if op.mode != "add":
        raise NoForm("ONNX has no running product")
    wide = x.astype("int64" if dtype.kind in "iu" else dtype)
    if op.axis is None:
        wide = to.to.reshape(wide, -1)
    return to.to.op("CumSum", wide, to.to.constant(op.axis or 0, "int64"))


def difference(to: Export, node: Apply, x: Value) -> Value:
    axis = node.op.axis % node.inputs[0].type.ndim
    if x.dtype.kind in "bu":
        raise NoForm(f"differences of {x.dtype} are no operator of ONNX")
    wide = ordered(x)
    for _ in range(node.op.n):
        wide = to.to.slice(wide, axis, 1) - to.to.slice(wide, axis, 0, -1)
    return wide


def nonzero(to: Export, node: Apply, x: Value) -> Value:
    return to.to.op("NonZero", x.astype(bool), dtype="int64")


def unique(to: Export, node: Apply, x: Value) -> list[Value]:
    op = node.op
    wide = x.astype("int64") if x.dtype.kind in "biu" else x
    axis = {} if op.axis is None else {"axis": op.axis}
    dtypes = [None, "int64", "int64", "int64"]
    values, *more = to.to.many("Unique", [wide], dtypes, sorted=1, **axis)
    requested = (op.return_index, op.return_inverse, op.return_counts)
    return [values, *(v for v, wanted in zip(more, requested, strict=True) if wanted)]


def roll(to: Export, node: Apply, x: Value, shift: Value) -> Value:
    """Concatenate the last ``shift`` elements and the others."""
    w, op = to.to, node.op
    flat = w.reshape(x, -1) if op.axis is None else x
    axis = 0 if op.axis is None else op.axis % node.inputs[0].type.ndim
    n = w.length(flat, axis)
    # avoid a remainder by zero, if the dimension has no elements
    length = w.op("Max", n, w.ints(1))
    cut = n - w.op("Mod", w.vector(shift), length)
    at = w.ints(axis)
    end = w.op("Slice", flat, cut, n, at)
    begin = w.op("Slice", flat, w.ints(0), cut, at)
    result = w.concat([end, begin], axis)
    return w.op("Reshape", result, w.shape(x)) if op.axis is None else result


def repeat(to: Export, node: Apply, x: Value, repeats: Value) -> Value:
    """Repeat each element, or each slice along an axis, by one number."""
    w, op = to.to, node.op
    number = node.inputs[1]
    if number.type.ndim and not number.type.broadcastable[0]:
        raise NoForm("repeat takes one number for all elements in ONNX, got a vector")
    x = w.reshape(x, -1) if op.axis is None else x
    ndim = 1 if op.axis is None else node.inputs[0].type.ndim
    axis = 0 if op.axis is None else op.axis % ndim
    ones = [w.ints(*[1] * (axis + 1)), w.vector(repeats), w.ints(*[1] * (ndim - axis - 1))]
    tiled = w.op("Tile", w.unsqueeze(x, axis + 1), w.concat(ones))
    lead = [w.length(x, i) for i in range(axis)]
    rest = [w.length(x, i) for i in range(axis + 1, ndim)]
    length = w.length(x, axis) * w.vector(repeats)
    return w.op("Reshape", tiled, w.concat([*lead, length, *rest]), allowzero=1)


def diagonal(to: Export, node: Apply, x: Value) -> Value:
    """Extract the elements where column - row is the offset, from a matrix or a stack of them."""
    w, op = to.to, node.op
    ndim = node.inputs[0].type.ndim
    one, other = op.axis1 % ndim, op.axis2 % ndim
    rest = [i for i in range(ndim) if i not in (one, other)]
    x = w.transpose(x, [one, other, *rest])
    down, right = max(0, -op.offset), max(0, op.offset)
    n = w.op("Min", w.length(x, 0) - down, w.length(x, 1) - right)
    at = w.arange(w.scalar(w.op("Max", n, w.ints(0))))
    both = w.concat([w.unsqueeze(at + down, 1), w.unsqueeze(at + right, 1)], 1)
    return w.transpose(w.op("GatherND", x, both), [*range(1, ndim - 1), 0])


FORMS: dict[type[Op], Form] = {
    SortOp: sort,
    ArgSortOp: argsort,
    TopKOp: topk,
    CumOp: cumulative,
    DiffOp: difference,
    Nonzero: nonzero,
    Unique: unique,
    Roll: roll,
    RepeatOp: repeat,
    ExtractDiag: diagonal,
}
