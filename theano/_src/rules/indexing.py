"""Rules for indexing: an index of an index, of an expression, or of a filled array."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Constant, owner_of
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import Second, add, mul
from theano._src.ops.index.advanced import ARRAY, AdvancedIncSubtensor, AdvancedSubtensor
from theano._src.ops.index.index_list import FULL, fill, flatten, is_full, stays_one
from theano._src.ops.index.slices import slice_length
from theano._src.ops.index.subtensor import Subtensor
from theano._src.ops.index.subtensor1 import (
    AdvancedIncSubtensor1,
    AdvancedSubtensor1,
    advanced_subtensor1,
)
from theano._src.ops.linalg.dot import Dot, dot
from theano._src.ops.shape.alloc import Alloc, alloc
from theano._src.ops.shape.dims import dimshuffle
from theano._src.ops.shape.ranges import ARange, arange
from theano._src.ops.shape.shape import shape_i_op
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.lengths import in_range, is_length, length_of, only_here, same_length
from theano._src.rules.slice_compose import merged
from theano._src.rules.structure import matrix, on, patterned
from theano._src.types.checked import is_checked
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import tensor_type

_FAR = np.iinfo(np.int64).max
#: the length of a chain of slices that is worth arithmetic on its bounds
_LONG = 8


def entries_of(node: Apply) -> list[Any]:
    """Return the index of a Subtensor node: integers and slices of variables."""
    return fill(node.op.idx_list, node.inputs[1:])


def part(x: Any, entries: Sequence[Any]) -> Any:
    """Return ``x[entries]`` without trailing full slices; ``x`` itself if none is left."""
    end = len(entries)
    while end and is_full(entries[end - 1]):
        end -= 1
    if not end:
        return x
    structure, inputs = flatten(entries[:end])
    return Subtensor(structure)(x, *inputs)


def _constant(v: Any) -> int | None:
    return int(v.data) if isinstance(v, Constant) else None


def useless_subtensor(fgraph: Any, node: Apply) -> list[Any] | None:
    """x[0:n] -> x, where n is the length of x; x[i, :] -> x[i]; x[0:m:1] -> x[:m]"""
    x = node.inputs[0]
    entries = entries_of(node)
    new = [_reduced(fgraph, x, axis, e) for axis, e in enumerate(entries)]
    if new and not is_full(new[-1]) and all(a is b for a, b in zip(entries, new, strict=True)):
        return None
    out = part(x, new)
    return [out] if out.type == node.outputs[0].type else None


def _reduced(fgraph: Any, x: Any, axis: int, entry: Any) -> Any:
    """Return a slice without redundant parts; the same object if there are none."""
    if not isinstance(entry, slice) or is_full(entry):
        return entry
    start, stop, step = entry.start, entry.stop, entry.step
    if x.type.broadcastable[axis]:
        return FULL if stays_one(entry) else entry
    if step is not None and _constant(step) != 1:
        return entry
    if start is not None and _constant(start) == 0:
        start = None
    if stop is not None and (_constant(stop) == _FAR or is_length(fgraph, stop, x, axis)):
        stop = None
    if start is entry.start and stop is entry.stop and step is None:
        return entry
    return slice(start, stop, None)


def index_of_one(node: Apply) -> list[Any] | None:
    """x[0, i] -> dimshuffle(x[:, i], 1), where the first dimension has length 1 by its type"""
    x = node.inputs[0]
    entries = entries_of(node)
    gone = [
        not isinstance(e, slice) and x.type.broadcastable[axis] and _constant(e) in (0, -1)
        for axis, e in enumerate(entries)
    ]
    if not any(gone):
        return None
    inner = part(x, [FULL if g else e for g, e in zip(gone, entries, strict=True)])
    order, axis = [], 0
    for g, e in zip(gone, entries, strict=True):
        if g or isinstance(e, slice):
            order += [] if g else [axis]
            axis += 1
    return [dimshuffle(inner, *order, *range(axis, inner.type.ndim))]


def dimension_dropped(node: Apply) -> list[Any] | None:
    """dimshuffle(x[:, i:j], 1) -> x[0, i:j], where the first dimension has length 1 by its type"""
    (v,) = node.inputs
    inner = v.owner
    order = node.op.new_order
    if inner is None or not isinstance(inner.op, Subtensor) or not only_here(v):
        return None
    if "x" in order or list(order) != sorted(order) or len(order) == v.type.ndim:
        return None
    x = inner.inputs[0]
    entries = entries_of(inner)
    entries += [FULL] * (x.type.ndim - len(entries))
    axis = -1
    for at, entry in enumerate(entries):
        if not isinstance(entry, slice):
            continue
        axis += 1
        if axis not in order:
            if not (x.type.broadcastable[at] and stays_one(entry)):
                return None
            entries[at] = as_tensor_variable(0)
    result = part(x, entries)
    return [result] if result.type == node.outputs[0].type else None


def subtensor_of_subtensor(fgraph: Any, node: Apply) -> list[Any] | None:
    """x[a:b][c:d] -> x[a + c:min(b, a + d)], where the bounds count from the front or are known

    Others are left alone: two views cost less than the arithmetic of their bounds. Only in a long
    chain, which XLA would be slow to compile, each start is merged.
    """
    inner = node.inputs[0].owner
    if inner is None or not isinstance(inner.op, Subtensor):
        return None
    return _merge(fgraph, node, False, _is_long(inner))


def subtensor_of_subtensor_by_length(fgraph: Any, node: Apply) -> list[Any] | None:
    """x[a:b][c:d] -> x[e:f], with e and f in terms of a, b, c, d and the length of x"""
    inner = node.inputs[0].owner
    if inner is None or not isinstance(inner.op, Subtensor):
        return None
    return _merge(fgraph, node, True, False)


def _is_long(node: Apply | None) -> bool:
    """Whether a slice is the last in a long chain of slices of slices."""
    for _ in range(_LONG):
        if node is None or not isinstance(node.op, Subtensor):
            return False
        node = node.inputs[0].owner
    return True


def _merge(fgraph: Any, node: Apply, by_length: bool, long: bool) -> list[Any] | None:
    inner = owner_of(node.inputs[0])
    x = inner.inputs[0]
    outer = iter(entries_of(node))
    new = []
    for axis, e in enumerate(entries_of(inner)):
        if isinstance(e, slice):
            length = partial(length_of, fgraph, x, axis)
            e = merged(e, next(outer, FULL), length, by_length, long)
            if e is None:
                return None
        new.append(e)
    out = part(x, [*new, *outer])
    return [out] if out.type == node.outputs[0].type else None


def subtensor_of_elemwise(fgraph: Any, node: Apply) -> list[Any] | None:
    """f(x, y)[i] -> f(x[i], y[i]), where f(x, y) has no other use and no check is lost"""
    v = node.inputs[0]
    inner = v.owner
    if inner is None or not isinstance(inner.op, Elemwise) or not only_here(v):
        return None
    op = inner.op
    if op.destroy_map or len(inner.outputs) != 1 or not op.scalar_op.has_compute:
        return None
    if is_checked(op):
        return None
    entries = entries_of(node)
    for axis, e in enumerate(entries):
        if type(op.scalar_op) is Second and not in_range(fgraph, e, v, axis):
            return None  # only the shape of x is used: nothing would check the index of x[i]
        long = [x for x in inner.inputs if not x.type.broadcastable[axis]]
        if is_full(e) or len(long) < 2:
            continue
        if not all(same_length(fgraph, x, axis, long[0], axis) for x in long[1:]):
            return None
    return [patterned(op(*[_share(x, v, entries) for x in inner.inputs]), node.outputs[0])]


def _share(x: Any, whole: Any, entries: Sequence[Any]) -> Any:
    """Return the part of ``x`` that broadcasts to ``whole[entries]``."""
    own: list[Any] = []
    for axis, e in enumerate(entries):
        stretches = x.type.broadcastable[axis] and not whole.type.broadcastable[axis]
        own.append(e if not stretches else FULL if isinstance(e, slice) else 0)
    return part(x, own)


def subtensor_of_dot(node: Apply) -> list[Any] | None:
    """dot(x, y)[i, j] -> dot(x[i], y[:, j]), where dot(x, y) has no other use"""
    v = node.inputs[0]
    inner = v.owner
    if inner is None or not isinstance(inner.op, Dot) or not only_here(v):
        return None
    x, y = inner.inputs
    if not (0 < x.type.ndim <= 2 and 0 < y.type.ndim <= 2):
        return None
    entries = entries_of(node)
    rows, columns = entries[: x.type.ndim - 1], entries[x.type.ndim - 1 :]
    out = dot(part(x, rows), part(y, [FULL, *columns]) if columns else y)
    return [patterned(out, node.outputs[0])]


def subtensor_of_alloc(fgraph: Any, node: Apply) -> list[Any] | None:
    """alloc(x, n, m)[a:b] -> alloc(x, the length of a:b, m)"""
    inner = node.inputs[0].owner
    if inner is None or not isinstance(inner.op, Alloc):
        return None
    x, *lengths = inner.inputs
    new = len(lengths) - x.type.ndim
    own: list[Any] = []
    sizes: list[Any] = []
    for axis, e in enumerate(entries_of(node)):
        n = lengths[axis]
        within = axis >= new and not x.type.broadcastable[axis - new]
        if within and not is_full(e) and not is_length(fgraph, n, x, axis - new):
            return None
        if isinstance(e, slice):
            sizes.append(n if is_full(e) else slice_length(e.start, e.stop, e.step, n))
        elif not within and not in_range(fgraph, e, node.inputs[0], axis):
            return None  # out of range must stay an error
        if axis >= new:
            own.append(e if within else FULL if isinstance(e, slice) else 0)
    sizes += lengths[len(node.op.idx_list) :]
    return [patterned(alloc(part(x, own), *sizes), node.outputs[0])]


def rows_in_order(fgraph: Any, node: Apply) -> list[Any] | None:
    """x[arange(n)] -> x, where n is the length of x"""
    x, index = node.inputs[0], node.inputs[-1]
    result = index.owner
    if result is None or not isinstance(result.op, ARange) or x.type.broadcastable[0]:
        return None
    start, stop, step = result.inputs
    if _constant(start) != 0 or _constant(step) != 1 or not is_length(fgraph, stop, x, 0):
        return None
    return [x] if x.type == node.outputs[0].type else None


def array_index_to_rows(node: Apply) -> list[Any] | None:
    """AdvancedSubtensor(x, vector) -> AdvancedSubtensor1(x, vector); likewise for writing"""
    structure = node.op.idx_list
    first = node.op.first_index
    if not structure or structure[0] != ARRAY or not all(is_full(e) for e in structure[1:]):
        return None
    index = node.inputs[first]
    if index.type.ndim != 1:
        return None
    if isinstance(node.op, AdvancedSubtensor):
        return [patterned(advanced_subtensor1(node.inputs[0], index), node.outputs[0])]
    x, y = node.inputs[:2]
    return [AdvancedIncSubtensor1(node.op.inplace, node.op.set_instead_of_inc)(x, y, index)]


def _row(name: str) -> Any:
    return tensor_type("float64", (True, False))(name)


_FIRST, _ALL = "canonicalize specialize", "canonicalize stabilize specialize"

# fmt: off
RULES = (
    FunctionRule(useless_subtensor, "useless_subtensor", _FIRST, [Subtensor],
                 tags=("local_useless_subtensor", "local_useless_slice", "local_useless"),
                 example=on(lambda x: x[0 : shape_i_op(0)(x), 0:2:1])),
    FunctionRule(index_of_one, "index_of_one", _FIRST, [Subtensor],
                 tags=("local_subtensor_remove_broadcastable_index", "local_useless"),
                 example=on(lambda x: x[0, 1:], _row)),
    FunctionRule(dimension_dropped, "dimension_dropped", "uncanonicalize", [DimShuffle],
                 tags=("local_dimshuffle_subtensor",), opt_in=True,
                 example=on(lambda x: dimshuffle(x[:, 1:], 1), _row)),
    FunctionRule(subtensor_of_subtensor, "subtensor_of_subtensor", _FIRST, [Subtensor],
                 tags=("local_subtensor_merge",),
                 example=on(lambda x: x[1:, 1][:1])),
    FunctionRule(subtensor_of_subtensor_by_length, "subtensor_of_subtensor_by_length", _FIRST,
                 [Subtensor], tags=("local_subtensor_merge",), opt_in=True,
                 example=on(lambda x: x[-2:, 1][::-1])),
    FunctionRule(subtensor_of_elemwise, "subtensor_of_elemwise", _FIRST, [Subtensor],
                 tags=("local_subtensor_lift",),
                 example=on(lambda x, y: add(x, mul(x, y))[1:, 0], matrix, _row)),
    FunctionRule(subtensor_of_dot, "subtensor_of_dot", _ALL, [Subtensor],
                 tags=("local_subtensor_of_dot",),
                 example=on(lambda x, y: dot(x, y)[1:, 0], matrix, matrix)),
    FunctionRule(subtensor_of_alloc, "subtensor_of_alloc", _FIRST, [Subtensor],
                 tags=("local_subtensor_of_alloc", "local_useless"),
                 hazard="a negative length is no error where a part has no rows",
                 example=on(lambda x: alloc(x, 4, shape_i_op(0)(x), shape_i_op(1)(x))[1:, :, 2])),
    FunctionRule(rows_in_order, "rows_in_order", _FIRST, [AdvancedSubtensor1],
                 tags=("local_useless_subtensor", "local_useless_AdvancedSubtensor1"),
                 example=on(lambda x: advanced_subtensor1(x, arange(shape_i_op(0)(x))))),
    FunctionRule(array_index_to_rows, "array_index_to_rows", _FIRST,
                 [AdvancedSubtensor, AdvancedIncSubtensor],
                 tags=("local_replace_AdvancedSubtensor",),
                 example=on(lambda x: AdvancedSubtensor()(x, np.array([2, 0])))),
)
# fmt: on
