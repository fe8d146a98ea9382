"""Indexing by integers, slices, arrays and masks, for reading and writing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from theano._src.compile.export.onnx_ops.context import Export, Form
from theano._src.compile.export.onnx_ops.writer import FIRST, LAST, NoForm, Value
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op
from theano._src.ops.index.advanced import (
    ARRAY,
    MASK,
    AdvancedBooleanIncSubtensor,
    AdvancedBooleanSubtensor,
    AdvancedIncSubtensor,
    AdvancedSubtensor,
    arranged,
    width,
)
from theano._src.ops.index.index_list import fill, is_full
from theano._src.ops.index.static_take import StaticTake
from theano._src.ops.index.subtensor import IncSubtensor, Subtensor
from theano._src.ops.index.subtensor1 import AdvancedIncSubtensor1, AdvancedSubtensor1

#: indexes a value that has the shape of the indexed variable
Read = Callable[[Value], Value]


def subtensor(to: Export, node: Apply, x: Value, *parts: Value) -> Value:
    return _basic(to, node.op.idx_list, node.inputs[1:])(x)


def _basic(to: Export, idx_list: Sequence[Any], parts: Sequence[Variable]) -> Read:
    """Index by integers and slices: one Slice, then a Gather for each integer."""
    entries = fill(idx_list, parts)

    def read(x: Value) -> Value:
        x = _sliced(to, x, dict(enumerate(entries)))
        for axis in reversed(range(len(entries))):
            if not isinstance(entries[axis], slice):
                x = to.to.op("Gather", x, _index(to, entries[axis]), axis=axis)
        return x

    return read


def _index(to: Export, v: Variable) -> Value:
    return to.value(v).astype("int64")


def _sliced(to: Export, x: Value, entries: dict[int, Any]) -> Value:
    """Apply the slices among ``{axis: entry}`` to ``x``."""
    taken = {a: e for a, e in entries.items() if isinstance(e, slice) and not is_full(e)}
    if not taken:
        return x
    steps = [1 if e.step is None else _step(to, e.step) for e in taken.values()]
    slices = list(zip(taken.values(), steps, strict=True))
    starts = [(e.start, 0 if s > 0 else LAST) for e, s in slices]
    stops = [(e.stop, LAST if s > 0 else FIRST) for e, s in slices]
    ends = [_bounds(to, starts), _bounds(to, stops)]
    return to.to.op("Slice", x, *ends, to.to.ints(*taken), to.to.ints(*steps))


def _step(to: Export, v: Variable) -> int:
    return to.int_of(v, "the step of a slice")


def _bounds(to: Export, given: Sequence[tuple[Variable | None, int]]) -> Value:
    known = [n if v is None else to.numbers_of(v) for v, n in given]
    if all(n is not None for n in known):
        return to.to.ints(*[int(n) for n in known if n is not None])
    parts = [to.to.ints(n) if v is None else to.to.vector(to.value(v)) for v, n in given]
    return to.to.concat(parts)


def rows(to: Export, node: Apply, x: Value, at: Value) -> Value:
    return to.to.op("Gather", x, at.astype("int64"), axis=0)


def static_take(to: Export, node: Apply, x: Value) -> Value:
    return to.to.op("Gather", x, to.to.constant(node.op._index), axis=-1)


# by arrays


def advanced(to: Export, node: Apply, x: Value, *index: Value) -> Value:
    return _by_arrays(to, node.op.structure, node.inputs[1:], node.inputs[0].type.ndim)(x)


def _by_arrays(to: Export, structure: Sequence[Any], inputs: Sequence[Variable], ndim: int) -> Read:
    """Index by arrays, masks, slices and None: Gather for one array, GatherND for several.

    Dimensions are labelled ("new", entry), ("own", axis) and ("array", number).
    """
    entries = fill(structure, inputs)
    axes = [0]
    for kind, e in zip(structure, entries, strict=True):
        axes.append(axes[-1] + width(kind, e))
    places = dict(_places(to, structure, entries, axes))
    count = max(n for _, n in places.values())
    labels = [("array", i) for i in range(count)]
    own = [("own", axis) for axis in range(ndim)]
    wanted = arranged(
        structure,
        labels,
        lambda i: ("new", i) if structure[i] is None else ("own", axes[i]),
        own[axes[-1] :],
    )
    slices = {axes[i]: e for i, e in enumerate(entries) if isinstance(e, slice)}

    def read(x: Value) -> Value:
        x = _sliced(to, x, slices)
        left = [d for d in own if d[1] not in places]
        if len(places) == 1:
            ((axis, (at, _)),) = places.items()
            x = to.to.op("Gather", x, at, axis=axis)
            have = [*own[:axis], *labels, *own[axis + 1 :]]
        else:
            x = _gathered(to, x, {a: at for a, (at, _) in places.items()}, ndim)
            have = [*labels, *left]
        kept = [d for d in wanted if d[0] != "new"]
        x = to.to.transpose(x, [have.index(d) for d in kept])
        return to.to.unsqueeze(x, *[i for i, d in enumerate(wanted) if d[0] == "new"])

    return read


def _places(
    to: Export, structure: Sequence[Any], entries: Sequence[Any], axes: Sequence[int]
) -> list[tuple[int, tuple[Value, int]]]:
    """For each axis with an array index, the indices and their number of dimensions."""
    pairs = []
    for kind, e, axis in zip(structure, entries, axes, strict=False):
        if not isinstance(kind, str):
            continue
        if kind == ARRAY:
            pairs.append((axis, (_index(to, e), e.type.ndim)))
        elif kind == MASK and e.type.ndim:
            nonzero = to.to.op("NonZero", to.value(e).astype(bool), dtype="int64")
            for i in range(e.type.ndim):
                row = to.to.op("Gather", nonzero, to.to.constant(i, "int64"), axis=0)
                pairs.append((axis + i, (row, 1)))
        else:
            raise NoForm("a mask without dimensions has no form in ONNX")
    return pairs


def _gathered(to: Export, x: Value, places: dict[int, Value], ndim: int) -> Value:
    """GatherND by several indices: their dimensions come first, then the other axes."""
    w = to.to
    x = w.transpose(x, [*places, *[i for i in range(ndim) if i not in places]])
    indices = list(places.values())
    total = indices[0]
    for at in indices[1:]:
        total = total + at
    common = w.shape(total)
    each = [w.unsqueeze(w.op("Expand", at, common), -1) for at in indices]
    return w.op("GatherND", x, w.concat(each, -1))


# writing


def _written(to: Export, node: Apply, x: Value, y: Value, read: Read) -> Value:
    """Set or increment elements of a copy of ``x`` by ``y``.

    ``read``, applied to an array of flat positions, returns the positions of these elements.
    """
    w = to.to
    shape = w.shape(x)
    numbers = w.op("Reshape", w.arange(w.op("Size", x, dtype="int64")), shape)
    at = read(numbers)
    dtype = x.dtype
    inside = "int32" if dtype.kind == "b" else dtype
    flat, new = x.astype(inside), y.astype(dtype).astype(inside)
    new = w.op("Expand", new, w.shape(at))
    if not node.op.set_instead_of_inc and dtype.kind == "b":
        raise NoForm("booleans are not added up in ONNX")
    result = w.op(
        "ScatterElements",
        w.reshape(flat, -1),
        w.reshape(at, -1),
        w.reshape(new, -1),
        axis=0,
        reduction="none" if node.op.set_instead_of_inc else "add",
    )
    return w.op("Reshape", result, shape).astype(dtype)


def inc_subtensor(to: Export, node: Apply, x: Value, y: Value, *parts: Value) -> Value:
    return _written(to, node, x, y, _basic(to, node.op.idx_list, node.inputs[2:]))


def inc_rows(to: Export, node: Apply, x: Value, y: Value, at: Value) -> Value:
    def read(v: Value) -> Value:
        return to.to.op("Gather", v, at.astype("int64"), axis=0)

    return _written(to, node, x, y, read)


def inc_advanced(to: Export, node: Apply, x: Value, y: Value, *index: Value) -> Value:
    ndim = node.inputs[0].type.ndim
    return _written(to, node, x, y, _by_arrays(to, node.op.structure, node.inputs[2:], ndim))


FORMS: dict[type[Op], Form] = {
    Subtensor: subtensor,
    StaticTake: static_take,
    AdvancedSubtensor1: rows,
    AdvancedSubtensor: advanced,
    AdvancedBooleanSubtensor: advanced,
    IncSubtensor: inc_subtensor,
    AdvancedIncSubtensor1: inc_rows,
    AdvancedIncSubtensor: inc_advanced,
    AdvancedBooleanIncSubtensor: inc_advanced,
}
