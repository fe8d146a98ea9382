"""The native forms of ops, by class."""

from __future__ import annotations

from typing import Any

from theano._src.engines.native.inline import TYPES
from theano._src.engines.native.ir import FLOATS, ONE, ZERO, Number, Operand, Value, integer
from theano._src.engines.native.loops import NotNative
from theano._src.engines.native.lowering import Form, Lowering
from theano._src.engines.native.nests import Array
from theano._src.engines.native.steps import formula_of
from theano._src.graph.graph import Apply
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


def subtensor(low: Lowering, node: Apply) -> None:
    x, *indices = node.inputs
    array = low.array(x)
    pointer = low.memory(array)
    numbers = iter([low.array(v) for v in indices])
    level = max([array.level, *(low.array(v).level for v in indices)])
    m = low.main
    lengths: list[Operand] = []
    strides: list[Operand] = []
    offset: Operand = ZERO
    whole = True  # whether dimensions so far are all there, or one index each

    def bound(part: Any) -> Operand | None:
        if part is None:
            return None
        number = low.number(next(numbers))
        return integer(int(number.value)) if isinstance(number, Number) else m.cast("i64", number)

    with low.at(level):
        for i, part in enumerate(node.op.idx_list):
            n, stride = low.length(array.lengths[i]), array.strides[i]
            if not isinstance(part, slice):
                at = bound(part)
                assert at is not None
                at = _from_the_end(low, at, n)
                low.stop_if(m.compare("ge", at, n))
                if isinstance(at, Value):
                    low.stop_if(m.compare("lt", at, ZERO))
                offset = m.add(offset, m.mul(at, stride))
                continue
            start, stop, step = bound(part.start), bound(part.stop), bound(part.step)
            if step is not None and step != ONE:
                raise NotNative("a step other than 1")
            first = ZERO if start is None else _clipped(low, start, n)
            end = n if stop is None else _clipped(low, stop, n)
            length = m.binary("max", m.sub(end, first), ZERO)
            if length is not n and lengths:
                whole = False
            if isinstance(length, Value) and length is not n:
                low.known_at(length, level)
            lengths.append(length)
            strides.append(stride)
            offset = m.add(offset, m.mul(first, stride))
        lengths += array.lengths[len(node.op.idx_list) :]
        strides += array.strides[len(node.op.idx_list) :]
        moved = m.offset(pointer, offset, array.dtype.itemsize)
    before = [p for p in node.op.idx_list if isinstance(p, slice)]
    in_front = node.op.idx_list[len(node.op.idx_list) - len(before) :]
    flat = array.flat and whole and all(isinstance(p, slice) for p in in_front)
    view = Array(
        array.dtype, lengths, strides, moved, level=level, flat=flat, ordered=array.ordered
    )
    low.set(node.outputs[0], view)


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
    },
    by_meaning=True,
)
