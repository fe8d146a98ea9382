"""Views, shapes, and arrays that are filled."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theano._src.engines.native.ir import ONE, ZERO, Number, Operand, Value, integer
from theano._src.engines.native.loops import NotNative
from theano._src.engines.native.lowering import Lowering
from theano._src.engines.native.nests import Array
from theano._src.graph.graph import Apply


def dimshuffle(low: Lowering, node: Apply) -> None:
    (x,), (out,), order = node.inputs, node.outputs, node.op.new_order
    array = low.array(x)
    kept = [d for d in order if d != "x"]
    lengths = [ONE if d == "x" else array.lengths[d] for d in order]
    if array.number is not None:
        low.set(out, low.a_number(array.dtype, array.number, len(order), array.level))
        return
    pointer = low.memory(array)
    strides = [ZERO if d == "x" else array.strides[d] for d in order]
    in_order = array.ordered and [d for d in kept if array.lengths[d] != ONE] == sorted(
        d for d in kept if array.lengths[d] != ONE
    )
    low.set(
        out,
        Array(
            array.dtype,
            lengths,
            strides,
            pointer,
            level=array.level,
            flat=array.flat and in_order,
            ordered=in_order,
            turned=array.flat and tuple(order) == (1, 0),
        ),
    )


def same(low: Lowering, node: Apply) -> None:
    """A copy or a view for the caller: outputs are memory of their own anyway."""
    array = low.array(node.inputs[0])
    if array.number is None:
        low.memory(array)
    low.set(node.outputs[0], replace(array, nest=None, owned=False, output=None))


def shape_i(low: Lowering, node: Apply) -> None:
    array = low.array(node.inputs[0])
    length = low.length(array.lengths[node.op.i])
    level = low.level_of(length)
    low.set(node.outputs[0], low.a_number(node.outputs[0].type.numpy_dtype, length, 0, level))


def alloc(low: Lowering, node: Apply) -> None:
    value, *lengths = node.inputs
    (out,) = node.outputs
    array = low.array(value)
    if array.number is None and not all(value.type.broadcastable):
        raise NotNative("an array that is repeated")
    number = low.number(array)
    shape = _lengths(low, lengths, out)
    nest = low.nest_for([array], shape)
    at = nest.given(number, array.dtype)
    low.set(out, low.element(out, nest, at, shape))


def _lengths(low: Lowering, given: Any, out: Any) -> list[Operand]:
    """The lengths of an array that is made."""
    lengths = [_length(low, n) for n in given]
    for n, is_one in zip(lengths, out.type.broadcastable, strict=True):
        if is_one and n != ONE:
            raise NotNative("a length that must be 1")
    return lengths


def _length(low: Lowering, v: Any) -> Operand:
    """A length that a graph computes; main stops if it is below 0."""
    array = low.array(v)
    number = low.number(array)
    if isinstance(number, Number):
        return integer(int(number.value))
    with low.at(array.level):
        n = low.main.cast("i64", number)
        if n not in low.lengths_of_arrays:
            low.stop_if(low.main.compare("lt", n, ZERO))
            assert isinstance(n, Value)
            low.known_at(n, array.level)
    return low.length(n)


def alloc_empty(low: Lowering, node: Apply) -> None:
    (out,) = node.outputs
    lengths = _lengths(low, node.inputs, out)
    level = low.level_of(*lengths)
    with low.at(level):
        low.set(out, low.new_array(out, lengths, level))


def make_vector(low: Lowering, node: Apply) -> None:
    (out,) = node.outputs
    arrays = [low.array(v) for v in node.inputs]
    if any(a.dtype != out.type.numpy_dtype for a in arrays):
        raise NotNative("numbers of another dtype")
    numbers = [low.number(a) for a in arrays]
    level = max([a.level for a in arrays], default=0)
    with low.at(level):
        vector = low.new_array(out, [integer(len(numbers))], level)
        assert vector.pointer is not None
        for i, number in enumerate(numbers):
            low.main.store(vector.pointer, integer(i), number)
    vector.numbers = numbers
    low.set(out, vector)


def reshape(low: Lowering, node: Apply) -> None:
    (x, shape), (out,) = node.inputs, node.outputs
    array, wanted = low.array(x), low.array(shape)
    if array.number is not None or not array.flat:
        raise NotNative("a number, or a view")
    given = _entries(low, wanted, out.type.ndim)
    level = max(array.level, wanted.level, low.level_of(*array.lengths))
    pointer = low.memory(array)
    m = low.main
    with low.at(level):
        count = low.count(array.lengths)
        product: Operand = ONE
        free: Operand = ZERO
        for n in given:
            if n != integer(-1):
                product = m.mul(product, n)
        lengths: list[Operand] = []
        if given.count(integer(-1)) > 1:
            raise NotNative("two lengths that are left open")
        if integer(-1) in given:
            low.stop_if(m.compare("eq", product, ZERO))
            free = m.binary("div", count, product)
            product = m.mul(product, free)
        low.stop_if(m.compare("ne", product, count))
        for n, is_one in zip(given, out.type.broadcastable, strict=True):
            length = free if n == integer(-1) else n
            if isinstance(length, Value):
                low.stop_if(m.compare("lt", length, ZERO))
                low.known_at(length, level)
            if is_one and length != ONE:
                low.stop_if(m.compare("ne", length, ONE))
                length = ONE
            lengths.append(length)
    view = low.whole(array.dtype, pointer, lengths, level)
    view.ordered = array.ordered
    low.set(out, view)


def check_lengths(low: Lowering, node: Apply) -> None:
    _, *lengths = node.inputs
    same(low, node)
    array = low.array(node.outputs[0])
    for d, n in zip(node.op.dims, lengths, strict=True):
        low.require_equal(array.lengths[d], _length(low, n), array.level)


def join(low: Lowering, node: Apply) -> None:
    """Arrays one after another along a dimension that is known."""
    axis, *parts = node.inputs
    (out,) = node.outputs
    arrays = [low.array(v) for v in parts]
    at = low.array(axis).constant
    if at is None or not all(a.ordered and a.dtype == out.type.numpy_dtype for a in arrays):
        raise NotNative("a dimension that is computed, or arrays that were exchanged")
    if any(a.type is None for a in arrays) or node.op.view != -1:
        raise NotNative("complex numbers")
    d = int(at) % out.type.ndim
    for a in arrays[1:]:
        for i, (n, mine) in enumerate(zip(arrays[0].lengths, a.lengths, strict=True)):
            if i != d:
                low.require_equal(n, mine, max(a.level, arrays[0].level))
    pointers = [low.memory(a) for a in arrays]
    level = max(max(a.level, low.level_of(*a.lengths)) for a in arrays)
    m = low.main
    with low.at(level):
        total: Operand = ZERO
        starts = []
        for a in arrays:
            starts.append(total)
            total = m.add(total, low.length(a.lengths[d]))
        if isinstance(total, Value):
            low.known_at(total, level)
        lengths = [low.length(n) for n in arrays[0].lengths]
        lengths[d] = total
        result = low.new_array(out, lengths, level)
        assert result.pointer is not None
        for a, pointer, start in zip(arrays, pointers, starts, strict=True):
            offset = m.mul(start, result.strides[d])
            place = m.offset(result.pointer, offset, a.dtype.itemsize)
            part = Array(a.dtype, a.lengths, result.strides, place, level=level)
            low.move(part, a, pointer, add=False)
    low.set(out, result)


def _entries(low: Lowering, vector: Array, n: int) -> list[Operand]:
    """The numbers of a vector of lengths."""
    if vector.constant is not None and vector.constant.size == n:
        return [integer(int(k)) for k in vector.constant.reshape(-1)]
    if vector.numbers is None or len(vector.numbers) != n:
        raise NotNative("lengths that are not known one by one")
    entries: list[Operand] = []
    for number in vector.numbers:
        if isinstance(number, Number):
            entries.append(integer(int(number.value)))
        else:
            with low.at(vector.level):
                entries.append(low.length(low.main.cast("i64", number)))
    return entries
