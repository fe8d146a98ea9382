"""Views, shapes, and arrays that are filled."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theano._src.engines.native.ir import ONE, ZERO, Function, Number, Operand, Value, integer
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
    shape = _lengths(low, lengths, out)
    if array.number is None and not all(value.type.broadcastable):
        _repeated(low, node, array, shape)
        return
    number = low.number(array)
    nest = low.nest_for([array], shape)
    at = nest.given(number, array.dtype)
    low.set(out, low.element(out, nest, at, shape))


def _repeated(low: Lowering, node: Apply, array: Array, lengths: list[Operand]) -> None:
    """An array, repeated along the dimensions that it does not have, or in which it is 1 long."""
    value, (out,) = node.inputs[0], node.outputs
    if not array.ordered or array.type is None:
        raise NotNative("an array whose dimensions were exchanged, or of complex numbers")
    source = low.memory(array)
    level = max(array.level, low.level_of(*lengths, *array.lengths))
    strides: list[Operand] = [ZERO] * len(lengths)
    for i in range(-value.type.ndim, 0):
        if not value.type.broadcastable[i]:
            low.require_equal(lengths[i], array.lengths[i], level)
            strides[i] = array.strides[i]
    with low.at(level):
        result = low.new_array(out, lengths, level)
        low.move(result, Array(array.dtype, lengths, strides), source, add=False)
    low.set(out, result)


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
    if array.number is None and not array.flat:
        raise NotNative("a view")
    given = entries(low, wanted, out.type.ndim)
    if array.number is not None and given in ([], [ONE], [integer(-1)]):
        low.set(out, low.a_number(array.dtype, array.number, len(given), array.level))
        return
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


def rebroadcast(low: Lowering, node: Apply) -> None:
    same(low, node)
    array = low.array(node.outputs[0])
    for d, is_one in node.op.items:
        if is_one:
            low.require_equal(array.lengths[d], ONE, array.level)
            array.lengths = [*array.lengths[:d], ONE, *array.lengths[d + 1 :]]


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


def split(low: Lowering, node: Apply) -> None:
    """Views of an array, one after another along a dimension that is known."""
    x, axis, splits = node.inputs
    array, sizes, at = low.array(x), low.array(splits), low.array(axis).constant
    if at is None or array.number is not None:
        raise NotNative("a dimension that is computed, or a number")
    d, m, pointer = int(at) % x.type.ndim, low.main, low.memory(array)
    numbers = entries(low, sizes, len(node.outputs))
    level = max(array.level, sizes.level, low.level_of(*array.lengths, *numbers))
    start: Operand = ZERO
    with low.at(level):
        for out, n in zip(node.outputs, numbers, strict=True):
            if isinstance(n, Value):
                low.stop_if(m.compare("lt", n, ZERO))
                low.known_at(n, level)
            if out.type.broadcastable[d] and n != ONE:
                low.stop_if(m.compare("ne", n, ONE))
                n = ONE
            lengths = [*array.lengths[:d], n, *array.lengths[d + 1 :]]
            place = m.offset(pointer, m.mul(start, array.strides[d]), array.dtype.itemsize)
            part = Array(array.dtype, lengths, array.strides, place, level=level)
            part.flat, part.ordered = array.flat and d == 0, array.ordered
            part.flat_rows = (array.flat or array.flat_rows) and d == 0
            low.set(out, part)
            start = m.add(start, low.length(n))
    low.known_at(start, level)
    low.require_equal(start, array.lengths[d], level)


def arange(low: Lowering, node: Apply) -> None:
    """Integers from a number to another, in steps that are known."""
    (out,) = node.outputs
    arrays = [low.array(v) for v in node.inputs]
    if out.type.dtype != "int64" or any(a.type not in ("i64", "i32", "i16", "i8") for a in arrays):
        raise NotNative("a range of other numbers")
    start, stop, step = (low.number(a) for a in arrays)
    if not isinstance(step, Number) or not step.value:
        raise NotNative("a step that is computed")
    level = max(a.level for a in arrays)
    m, by = low.main, int(step.value)
    with low.at(level):
        first, end = (
            integer(int(n.value)) if isinstance(n, Number) else m.cast("i64", n)
            for n in (start, stop)
        )
        distance = m.sub(end, first) if by > 0 else m.sub(first, end)
        n = m.binary("div", m.add(distance, integer(abs(by) - 1)), integer(abs(by)))
        n = m.binary("max", n, ZERO)
        low.known_at(n, level)
        result = low.new_array(out, [n], level)
        assert result.pointer is not None
        m.call(low.kernel(_arange()), "i64", [result.pointer, n, first, integer(by)])
    low.set(out, result)


def _arange() -> Function:
    f = Function("arange", [("out", "p"), ("n", "i64"), ("first", "i64"), ("step", "i64")])
    out, n, first, step = f.params
    with f.loop(n) as i:
        f.store(out, i, f.add(first, f.mul(i, step)))
    f.give(ZERO)
    return f


def entries(low: Lowering, vector: Array, n: int) -> list[Operand]:
    """The numbers of a vector of lengths."""
    if vector.constant is not None and vector.constant.size == n:
        return [integer(int(k)) for k in vector.constant.reshape(-1)]
    if vector.numbers is None or len(vector.numbers) != n:
        raise NotNative("lengths that are not known one by one")
    result: list[Operand] = []
    for number in vector.numbers:
        if isinstance(number, Number):
            result.append(integer(int(number.value)))
        else:
            with low.at(vector.level):
                result.append(low.length(low.main.cast("i64", number)))
    return result
