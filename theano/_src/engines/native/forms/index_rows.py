"""Rows of arrays at indices, and what is written there."""

from __future__ import annotations

from theano._src.engines.native.forms.index import own_array
from theano._src.engines.native.functions import copied_as
from theano._src.engines.native.ir import SIZES, ZERO, Function, Operand, integer
from theano._src.engines.native.loops import NotNative
from theano._src.engines.native.lowering import Lowering
from theano._src.engines.native.nests import Array
from theano._src.graph.graph import Apply


def take(low: Lowering, node: Apply) -> None:
    x, i = node.inputs
    array, index = low.array(x), low.array(i)
    _check(array, index)
    pointer, indices = low.memory(array), low.memory(index)
    level = max(array.level, index.level, low.level_of(*array.lengths, *index.lengths))
    kind, words = copied_as(array.dtype)
    assert index.type is not None
    kernel = low.kernel(_walk(kind, index.type, "take"))
    with low.at(level):
        lengths = [low.length(n) for n in (index.lengths[0], *array.lengths[1:])]
        result = low.new_array(node.outputs[0], lengths, level)
        assert result.pointer is not None
        row = low.main.mul(low.count(array.lengths[1:]), integer(words))
        _call(low, kernel, [result.pointer, pointer, indices], lengths, row, array.lengths[0])
    low.set(node.outputs[0], result)


def put(low: Lowering, node: Apply) -> None:
    """Rows that are added to those at indices, one after another, or put in their place."""
    x, y, i = node.inputs
    value, index = low.array(y), low.array(i)
    _check(value, index)
    add = not node.op.set_instead_of_inc
    if y.type.ndim != x.type.ndim or any(y.type.broadcastable) or value.dtype != x.type.numpy_dtype:
        raise NotNative("rows that stretch, or in another dtype")
    if value.type is None or (add and value.type == "bool"):
        raise NotNative("sums of truth values or complex numbers")
    assert index.type is not None
    own = own_array(low, node, low.array(x).level)
    source, indices = low.memory(value), low.memory(index)
    lengths = [*own.lengths, *value.lengths, *index.lengths]
    level = max(own.level, value.level, index.level, low.level_of(*lengths))
    low.require_equal(index.lengths[0], value.lengths[0], level)
    for mine, other in zip(own.lengths[1:], value.lengths[1:], strict=True):
        low.require_equal(mine, other, level)
    kernel = low.kernel(_walk(value.type, index.type, "add" if add else "put"))
    with low.at(level):
        assert own.pointer is not None
        row = low.count(own.lengths[1:])
        _call(low, kernel, [own.pointer, source, indices], value.lengths, row, own.lengths[0])
    result = Array(own.dtype, own.lengths, own.strides, own.pointer, level=level, owned=True)
    result.output = own.output
    low.set(node.outputs[0], result)


def _check(array: Array, index: Array) -> None:
    if index.type in (None, "u64") or not index.flat:
        raise NotNative("indices of another kind")
    if array.number is not None or not array.flat or not array.ordered:
        raise NotNative("a view")


def _call(
    low: Lowering,
    kernel: str,
    pointers: list[Operand],
    lengths: list[Operand],
    row: Operand,
    length: Operand,
) -> None:
    m = low.main
    with low.unlocked(low.count(lengths)):
        sizes = [low.length(lengths[0]), row, low.length(length)]
        code = m.call(kernel, "i64", [*pointers, *sizes])
    low.stop_if(m.compare("ne", code, ZERO))


def _walk(kind: str, index_kind: str, what: str) -> Function:
    """A kernel that goes through indices; it returns 1 where one is out of bounds."""
    params = [("target", "p"), ("source", "p"), ("indices", "p")]
    params += [("n", "i64"), ("row", "i64"), ("length", "i64")]
    f = Function(f"{what}_rows_{kind}_{index_kind}", params)
    target, source, indices, n, row, length = f.params
    f.alone = {"target"}
    with f.loop(n) as i:
        at = f.cast("i64", f.load(index_kind, indices, i))
        at = f.select(f.compare("lt", at, ZERO), f.add(at, length), at)
        bad = f.compare("ge", f.cast("u64", at), f.cast("u64", length))
        with f.when(bad):
            f.give(f.cast("i64", bad))
        there, here = (at, i) if what == "take" else (i, at)
        since = f.offset(source, f.mul(there, row), SIZES[kind])
        to = f.offset(target, f.mul(here, row), SIZES[kind])
        with f.loop(row) as j:
            value: Operand = f.load(kind, since, j)
            if what == "add":
                value = f.on_elements("add", f.load(kind, to, j), value)
            f.store(to, j, value)
    f.give(ZERO)
    return f
