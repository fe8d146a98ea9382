"""Indices: views, vectors at indices, and what is written there."""

from __future__ import annotations

from typing import Any

from theano._src.engines.native.inline import TYPES
from theano._src.engines.native.ir import ONE, ZERO, Number, Operand, Value, integer
from theano._src.engines.native.loops import NotNative
from theano._src.engines.native.lowering import Lowering
from theano._src.engines.native.nests import FROM_THE_END, IN_BOUNDS, Array, Scatter
from theano._src.graph.graph import Apply


def indexed(low: Lowering, array: Array, idx_list: Any, indices: Any, level: int) -> Array:
    """A view of an array by numbers and slices; its pointer is there at ``level``."""
    pointer = low.memory(array)
    numbers = iter([low.number(low.array(v)) for v in indices])
    m = low.main
    lengths: list[Operand] = []
    strides: list[Operand] = []
    offset: Operand = ZERO
    flat, ordered = array.flat, array.ordered

    def bound(part: Any) -> Operand | None:
        if part is None:
            return None
        number = next(numbers)
        return integer(int(number.value)) if isinstance(number, Number) else m.cast("i64", number)

    with low.at(level):
        for i, part in enumerate(idx_list):
            n, stride = low.length(array.lengths[i]), array.strides[i]
            if not isinstance(part, slice):
                at = bound(part)
                assert at is not None
                at = _from_the_end(low, at, n)
                low.stop_if(m.compare("ge", at, n))
                if isinstance(at, Value):
                    low.stop_if(m.compare("lt", at, ZERO))
                offset = m.add(offset, m.mul(at, stride))
                # an index behind a whole dimension leaves gaps
                flat = flat and not lengths
                continue
            bounds = [bound(part.start), bound(part.stop), bound(part.step)]
            first, length, step = _slice(low, n, *bounds)
            flat = flat and step == 1 and (length is n or not lengths)
            ordered = ordered and step > 0
            if isinstance(length, Value) and length is not n:
                low.known_at(length, level)
            lengths.append(length)
            strides.append(m.mul(stride, integer(step)))
            offset = m.add(offset, m.mul(first, stride))
        lengths += array.lengths[len(idx_list) :]
        strides += array.strides[len(idx_list) :]
        moved = m.offset(pointer, offset, array.dtype.itemsize)
    view = Array(array.dtype, lengths, strides, moved, level=level, flat=flat, ordered=ordered)
    in_rows = all(part == slice(None) for part in idx_list[1:])
    view.flat_rows = (array.flat or array.flat_rows) and bool(lengths) and in_rows
    return view


def _slice(
    low: Lowering, n: Operand, start: Operand | None, stop: Operand | None, step: Operand | None
) -> tuple[Operand, Operand, int]:
    """The first index of a slice, its length, and its step, which is known."""
    m = low.main
    if step is not None and not (isinstance(step, Number) and step.value):
        raise NotNative("a step that is computed")
    k = 1 if step is None else int(step.value)
    if k > 0:
        first = ZERO if start is None else _clipped(low, start, n, ZERO)
        end = n if stop is None else _clipped(low, stop, n, ZERO)
        distance = m.sub(end, first)
    else:
        last = m.sub(n, ONE)
        first = last if start is None else _clipped(low, start, n, integer(-1))
        end = integer(-1) if stop is None else _clipped(low, stop, n, integer(-1))
        distance = m.sub(first, end)
    if (start, stop) != (None, None):
        distance = m.binary("max", distance, ZERO)
    if abs(k) > 1:
        distance = m.binary("div", m.add(distance, integer(abs(k) - 1)), integer(abs(k)))
    return first, n if (start, stop, abs(k)) == (None, None, 1) else distance, k


def subtensor(low: Lowering, node: Apply) -> None:
    x, *indices = node.inputs
    array = low.array(x)
    level = max([array.level, *(low.array(v).level for v in indices)])
    low.set(node.outputs[0], indexed(low, array, node.op.idx_list, indices, level))


def own_array(low: Lowering, node: Apply, level: int) -> Array:
    """The array that a node changes: its first input's memory if nothing else has it, or a copy."""
    x, (out,) = node.inputs[0], node.outputs
    array = low.array(x)
    pointer = low.memory(array)
    if array.owned and array.flat and low.is_read_once(x):
        own = Array(array.dtype, array.lengths, array.strides, pointer, level=level, owned=True)
        own.output = array.output
        return own
    with low.at(level):
        own = low.new_array(out, array.lengths, level)
        assert own.pointer is not None
        low.copy(own.pointer, pointer, array)
    return own


def inc_subtensor(low: Lowering, node: Apply) -> None:
    x, y, *indices = node.inputs
    op, value = node.op, low.array(y)
    kind = TYPES.get(x.type.numpy_dtype)
    if (
        kind is None
        or value.type is None
        or not low.functions.is_instruction("cast", [value.type], kind)
    ):
        raise NotNative("a dtype that NumPy converts")
    is_number = all(y.type.broadcastable)
    if value.type != kind and not is_number:
        raise NotNative("an array in another dtype")
    if kind == "bool" and not op.set_instead_of_inc:
        raise NotNative("a sum of truth values")
    numbers = [low.array(v) for v in indices]
    level = max([low.array(x).level, value.level, *(a.level for a in numbers)])
    kept = x.type.ndim - sum(not isinstance(e, slice) for e in op.idx_list)
    if y.type.ndim > kept:
        raise NotNative("a value with more dimensions")
    if value.number is None and not (value.flat or value.ordered):
        raise NotNative("a value whose dimensions were exchanged")
    if is_number:
        with low.at(level):
            number = low.main.cast(kind, low.number(value))
        value = low.a_number(x.type.numpy_dtype, number, level=level)
    source = low.number(value) if kept == 0 else low.memory(value)
    own = own_array(low, node, level)
    part = indexed(low, own, op.idx_list, indices, level)
    assert part.pointer is not None
    strides: list[Operand] = [ZERO] * kept
    for i in range(-len(value.lengths), 0):
        if not y.type.broadcastable[i]:
            low.require_equal(part.lengths[i], value.lengths[i], level)
            strides[i] = value.strides[i]
    with low.at(level):
        if kept == 0:
            m = low.main
            new = source
            if not op.set_instead_of_inc:
                new = m.add(m.load(kind, part.pointer), new)
            m.store(part.pointer, ZERO, new)
        else:
            stretched = Array(value.dtype, part.lengths, strides)
            low.move(part, stretched, source, add=not op.set_instead_of_inc)
    low.set(node.outputs[0], own)


def _index_code(low: Lowering, index: Array, length: Operand, level: int) -> int:
    """The result of a kernel for an index out of bounds; main compares constants, once."""
    if index.constant is None:
        with low.at(level):
            low.stop_if(low.main.compare("eq", length, ZERO))
        return low.stop_code()
    if index.constant.size:
        least, most = int(index.constant.min()), int(index.constant.max())
        with low.at(level):
            low.stop_if(low.main.compare("le", length, integer(most)))
            if least < 0:
                low.stop_if(low.main.compare("lt", length, integer(-least)))
                return FROM_THE_END
    return IN_BOUNDS


def take(low: Lowering, node: Apply) -> None:
    x, i = node.inputs
    array, index = low.array(x), low.array(i)
    if not array.flat or array.type is None or index.type in (None, "u64"):
        raise NotNative("a view, or indices of another kind")
    low.memory(array)
    lengths = [low.length(index.lengths[0])]
    nest = low.nest_for([index], lengths, after=array.level)
    code = _index_code(low, index, low.length(array.lengths[0]), array.level)
    at = nest.take(array, low.into(nest, index), code)
    low.set(node.outputs[0], low.element(node.outputs[0], nest, at, lengths))


def add(low: Lowering, node: Apply) -> None:
    x, y, i = node.inputs
    value, index = low.array(y), low.array(i)
    if y.type.broadcastable != (False,) or index.type in (None, "u64"):
        raise NotNative("one value for all, or indices of another kind")
    if value.dtype != x.type.numpy_dtype:
        raise NotNative("a value in another dtype")
    if value.type in (None, "bool"):
        raise NotNative("sums of truth values or complex numbers")
    if not (value.flat and index.flat):
        raise NotNative("a view")
    own = own_array(low, node, low.array(x).level)
    low.require_equal(index.lengths[0], value.lengths[0])
    lengths = [low.length(index.lengths[0])]
    nest = low.nest_for([value, index], lengths, after=own.level, flat=True)
    code = _index_code(low, index, low.length(own.lengths[0]), own.level)
    scatter = Scatter(low.into(nest, value), low.into(nest, index), own, code, add=True)
    nest.scatters.append(scatter)
    result = Array(own.dtype, own.lengths, own.strides, own.pointer, level=nest.level, owned=True)
    result.output = own.output
    low.set(node.outputs[0], result)


def _from_the_end(low: Lowering, at: Operand, n: Operand) -> Operand:
    """An index; one below 0 counts from the end."""
    m = low.main
    if isinstance(at, Number):
        return at if at.value >= 0 else m.add(n, at)
    return m.select(m.compare("lt", at, ZERO), m.add(at, n), at)


def _clipped(low: Lowering, at: Operand, n: Operand, least: Number) -> Operand:
    """A bound of a slice: from ``least`` on, 0 or -1, over as many places as the length has."""
    m = low.main
    most = m.add(n, least)
    if isinstance(at, Number) and at.value >= 0:
        return m.binary("min", at, most)
    return m.binary("max", m.binary("min", _from_the_end(low, at, n), most), least)
