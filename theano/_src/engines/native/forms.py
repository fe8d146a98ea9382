"""The native forms of ops, by class."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.engines.native.inline import TYPES
from theano._src.engines.native.ir import FLOATS, NULL, ONE, ZERO, Number, Operand, Value, integer
from theano._src.engines.native.loops import NotNative, loop_address
from theano._src.engines.native.lowering import Form, Lowering
from theano._src.engines.native.nests import Array, Scatter
from theano._src.engines.native.steps import formula_of
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op_table import OpTable
from theano._src.types.checked import is_checked


def elemwise(low: Lowering, node: Apply) -> None:
    scalar_op = node.op.scalar_op
    if len(node.outputs) != 1 or is_checked(scalar_op):
        raise NotNative("a function of several outputs, or one with checks")
    low.write_formula(node, formula_of(scalar_op, [v.type.numpy_dtype for v in node.inputs]))


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
        ),
    )


def shape_i(low: Lowering, node: Apply) -> None:
    array = low.array(node.inputs[0])
    length = low.length(array.lengths[node.op.i])
    level = low.level_of(length)
    low.set(node.outputs[0], low.a_number(node.outputs[0].type.numpy_dtype, length, 0, level))


def total(low: Lowering, node: Apply) -> None:
    (x,), (out,) = node.inputs, node.outputs
    array, dtype = low.array(x), out.type.numpy_dtype
    if out.type.ndim or x.type.ndim == 0 or node.op.acc_dtype != out.type.dtype:
        raise NotNative("a sum along some dimensions, or one that converts")
    if not array.flat or array.type is None or array.number is not None:
        raise NotNative("a sum of a view")
    kind = TYPES.get(dtype.name)
    if array.dtype != dtype and (kind is None or kind in FLOATS or array.type in FLOATS):
        raise NotNative("a sum of floats in another dtype")
    low.total(node, array, dtype)


def indexed(low: Lowering, array: Array, idx_list: Any, indices: Any, level: int) -> Array:
    """A view of an array by numbers and slices; its pointer is there at ``level``."""
    pointer = low.memory(array)
    numbers = iter([low.number(low.array(v)) for v in indices])
    m = low.main
    lengths: list[Operand] = []
    strides: list[Operand] = []
    offset: Operand = ZERO
    flat = array.flat

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
            start, stop = bound(part.start), bound(part.stop)
            first = ZERO if start is None else _clipped(low, start, n)
            end = n if stop is None else _clipped(low, stop, n)
            length = (
                m.binary("max", m.sub(end, first), ZERO) if (start, stop) != (None, None) else n
            )
            flat = flat and (length is n or not lengths)
            if isinstance(length, Value) and length is not n:
                low.known_at(length, level)
            lengths.append(length)
            strides.append(stride)
            offset = m.add(offset, m.mul(first, stride))
        lengths += array.lengths[len(idx_list) :]
        strides += array.strides[len(idx_list) :]
        moved = m.offset(pointer, offset, array.dtype.itemsize)
    return Array(
        array.dtype, lengths, strides, moved, level=level, flat=flat, ordered=array.ordered
    )


def _refuse_steps(idx_list: Any) -> None:
    if any(isinstance(part, slice) and part.step is not None for part in idx_list):
        raise NotNative("slices with a step")


def subtensor(low: Lowering, node: Apply) -> None:
    x, *indices = node.inputs
    _refuse_steps(node.op.idx_list)
    array = low.array(x)
    level = max([array.level, *(low.array(v).level for v in indices)])
    low.set(node.outputs[0], indexed(low, array, node.op.idx_list, indices, level))


def alloc(low: Lowering, node: Apply) -> None:
    value, *lengths = node.inputs
    (out,) = node.outputs
    array = low.array(value)
    if array.number is None and not all(value.type.broadcastable):
        raise NotNative("an array that is repeated")
    number = low.number(array)
    sizes = [_length(low, n) for n in lengths]
    shape = [ONE if is_one else n for n, is_one in zip(sizes, out.type.broadcastable, strict=True)]
    for n, is_one in zip(sizes, out.type.broadcastable, strict=True):
        if is_one and n != ONE:
            raise NotNative("a length that must be 1")
    nest = low.nest_for([array], shape)
    at = nest.given(number, array.dtype)
    result = Array(array.dtype, shape, level=nest.level, nest=nest, at=at, owned=True)
    result.strides = low.strides(shape)
    low.set(out, result)


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


def _own(low: Lowering, node: Apply, level: int) -> Array:
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
    if value.dtype != x.type.numpy_dtype or value.type is None:
        raise NotNative("a value in another dtype")
    _refuse_steps(op.idx_list)
    numbers = [low.array(v) for v in indices]
    level = max([low.array(x).level, value.level, *(a.level for a in numbers)])
    kept = x.type.ndim - sum(not isinstance(e, slice) for e in op.idx_list)
    if y.type.ndim != kept or any(y.type.broadcastable):
        raise NotNative("a value that stretches")
    if value.number is None and not (value.flat or value.ordered):
        raise NotNative("a value whose dimensions were exchanged")
    source = low.number(value) if kept == 0 else low.memory(value)
    own = _own(low, node, level)
    part = indexed(low, own, op.idx_list, indices, level)
    assert part.pointer is not None
    for a, b in zip(part.lengths, value.lengths, strict=True):
        low.require_equal(a, b, level)
    with low.at(level):
        if kept == 0:
            m = low.main
            new = source
            if not op.set_instead_of_inc:
                new = m.add(m.load(value.type, part.pointer), source)
            m.store(part.pointer, ZERO, new)
        else:
            low.move(part, value, source, add=not op.set_instead_of_inc)
    low.set(node.outputs[0], own)


def _index_code(low: Lowering, index: Array, length: Operand, level: int) -> int:
    """What a kernel returns for an index out of bounds; 0 for constants, which main compares."""
    if index.constant is None:
        with low.at(level):
            low.stop_if(low.main.compare("eq", length, ZERO))
        return low.position + 1
    if index.constant.size:
        least, most = int(index.constant.min()), int(index.constant.max())
        with low.at(level):
            low.stop_if(low.main.compare("le", length, integer(most)))
            if least < 0:
                low.stop_if(low.main.compare("lt", length, integer(-least)))
    return 0


def take_rows(low: Lowering, node: Apply) -> None:
    x, i = node.inputs
    array, index = low.array(x), low.array(i)
    if x.type.ndim != 1 or not array.flat or array.type is None or index.type in (None, "u64"):
        raise NotNative("rows, or a view")
    low.memory(array)
    lengths = [low.length(index.lengths[0])]
    nest = low.nest_for([index], lengths, after=array.level)
    code = _index_code(low, index, low.length(array.lengths[0]), array.level)
    at = nest.take(array, low.into(nest, index), code)
    result = Array(array.dtype, lengths, [ONE], level=nest.level, nest=nest, at=at, owned=True)
    low.set(node.outputs[0], result)


def add_rows(low: Lowering, node: Apply) -> None:
    x, y, i = node.inputs
    value, index = low.array(y), low.array(i)
    if x.type.ndim != 1 or y.type.broadcastable != (False,) or index.type in (None, "u64"):
        raise NotNative("rows, or one value for all")
    if node.op.set_instead_of_inc or value.dtype != x.type.numpy_dtype or value.type is None:
        raise NotNative("a value that is stored, or in another dtype")
    if not (value.flat and index.flat):
        raise NotNative("a view")
    own = _own(low, node, low.array(x).level)
    low.require_equal(index.lengths[0], value.lengths[0])
    lengths = [low.length(index.lengths[0])]
    nest = low.nest_for([value, index], lengths, after=own.level, flat=True)
    code = _index_code(low, index, low.length(own.lengths[0]), own.level)
    scatter = Scatter(low.into(nest, value), low.into(nest, index), own, code, add=True)
    nest.scatters.append(scatter)
    result = Array(own.dtype, own.lengths, own.strides, own.pointer, level=nest.level, owned=True)
    result.output = own.output
    low.set(node.outputs[0], result)


def matmul(low: Lowering, out: Variable, a: Array, b: Array) -> Array:
    """A product by NumPy's own loop, which calls its BLAS."""
    dtype = out.type.numpy_dtype
    if a.dtype != dtype or b.dtype != dtype or dtype.name not in ("float64", "float32"):
        raise NotNative("a product of other dtypes")
    if not 1 <= len(a.lengths) <= 2 or not 1 <= len(b.lengths) <= 2:
        raise NotNative("a product with a number")
    pointers = [low.memory(a), low.memory(b)]
    level = max(a.level, b.level)
    low.require_equal(a.lengths[-1], b.lengths[0], level)
    row, column = len(a.lengths) == 1, len(b.lengths) == 1
    lengths = [*a.lengths[: 1 - row], *b.lengths[1:]]
    n, k, p = ONE if row else a.lengths[0], a.lengths[-1], ONE if column else b.lengths[1]
    m, size = low.main, integer(dtype.itemsize)
    loop, _ = loop_address(np.matmul, (dtype,) * 3)
    level = max(level, low.level_of(*lengths, k))
    with low.at(level):
        result = low.new_array(out, lengths, level)
        # a dimension of length 1 has the stride that it would have without gaps
        strides_a = [m.mul(k, a.strides[-1]) if n == ONE else a.strides[0], a.strides[-1]]
        strides_b = [b.strides[0], ONE if p == ONE else b.strides[-1]]
        places, counts, steps = m.room(24), m.room(32), m.room(72)
        for i, pointer in enumerate([*pointers, result.pointer]):
            assert pointer is not None
            m.store(places, integer(i), pointer)
        for i, count in enumerate((ONE, n, k, p)):
            m.store(counts, integer(i), low.length(count))
        strides = [*strides_a, *strides_b, low.length(p), ONE]
        for i, stride in enumerate([ZERO, ZERO, ZERO, *strides]):
            m.store(steps, integer(i), m.mul(stride, size))
        function = m.address(low.addresses.place(("matmul", dtype.name), loop))
        m.call(function, None, [places, counts, steps, NULL])
    return result


def product(low: Lowering, node: Apply) -> None:
    x, y = node.inputs
    low.set(node.outputs[0], matmul(low, node.outputs[0], low.array(x), low.array(y)))


def _from_the_end(low: Lowering, at: Operand, n: Operand) -> Operand:
    """An index; one below 0 counts from the end."""
    m = low.main
    if isinstance(at, Number):
        return at if at.value >= 0 else m.add(n, at)
    return m.select(m.compare("lt", at, ZERO), m.add(at, n), at)


def _clipped(low: Lowering, at: Operand, n: Operand) -> Operand:
    """A bound of a slice: from 0 to the length."""
    m = low.main
    at = _from_the_end(low, at, n)
    if isinstance(at, Number):
        return m.binary("min", at, n)
    return m.binary("max", m.binary("min", at, n), ZERO)


#: How the native engine writes a node: a function of the lowering and the node. An op without a
#: row, or whose function raises NotNative, is called back in Python.
native_forms: OpTable[Form] = OpTable(
    {
        "theano.tensor.elemwise.Elemwise": elemwise,
        "theano.tensor.elemwise.DimShuffle": dimshuffle,
        "theano.compile.ops.Shape_i": shape_i,
        "theano.tensor.elemwise.Sum": total,
        "theano.tensor.subtensor.Subtensor": subtensor,
        "theano.tensor.subtensor.IncSubtensor": inc_subtensor,
        "theano.tensor.subtensor.AdvancedSubtensor1": take_rows,
        "theano.tensor.subtensor.AdvancedIncSubtensor1": add_rows,
        "theano.tensor.basic.Alloc": alloc,
        "theano.tensor.blas.Dot22": product,
        "theano.tensor.basic.Dot": product,
    },
    by_meaning=True,
)
