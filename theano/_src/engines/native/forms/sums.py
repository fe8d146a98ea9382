"""Sums over all dimensions, or over the first or the last of them."""

from __future__ import annotations

from collections.abc import Sequence

from theano._src.engines.native.forms.folds import split
from theano._src.engines.native.inline import TYPES
from theano._src.engines.native.ir import (
    FLOATS,
    ONE,
    SIZES,
    ZERO,
    Function,
    Number,
    Operand,
    integer,
)
from theano._src.engines.native.loops import NotNative
from theano._src.engines.native.lowering import Lowering
from theano._src.engines.native.nest_kernel import LEAF, leaf_sum
from theano._src.engines.native.nests import Array
from theano._src.graph.graph import Apply, Variable


def total(low: Lowering, node: Apply) -> None:
    if node.outputs[0].type.ndim:
        _along(low, node)
    else:
        _full(low, node)


def _full(low: Lowering, node: Apply) -> None:
    (x,), (out,) = node.inputs, node.outputs
    array, dtype = low.array(x), out.type.numpy_dtype
    if x.type.ndim == 0 or node.op.acc_dtype != out.type.dtype:
        raise NotNative("a sum that converts")
    if not array.flat or array.type is None or array.number is not None:
        raise NotNative("a sum of a view")
    kind = TYPES.get(dtype.name)
    if array.dtype != dtype and (kind is None or kind in FLOATS or array.type in FLOATS):
        raise NotNative("a sum of floats in another dtype")
    low.total(node, array, dtype)


def _along(low: Lowering, node: Apply) -> None:
    (x,), (out,) = node.inputs, node.outputs
    array = low.array(x)
    if array.dtype != out.type.numpy_dtype or node.op.acc_dtype != out.type.dtype:
        raise NotNative("a sum that converts")
    low.set(out, summed(low, array, node.op.axis, out))


def summed(low: Lowering, array: Array, axes: Sequence[int], out: Variable | None = None) -> Array:
    """The sums of an array along its first or its last dimensions."""
    first, at = split(array, axes)
    if array.type not in FLOATS:
        raise NotNative("a sum of integers")
    assert array.type is not None
    pointer = low.memory(array)
    level = max(array.level, low.level_of(*array.lengths))
    kept = array.lengths[at:] if first else array.lengths[:at]
    for kernel in (leaf_sum(array.type), _pairwise(array.type)):
        low.kernel(kernel)
    name = low.kernel(_columns(array.type) if first else _rows(array.type))
    with low.at(level):
        result = low.new_array(out, kept, level, array.dtype)
        assert result.pointer is not None
        counts = [low.count(array.lengths[:at]), low.count(array.lengths[at:])]
        with low.unlocked(low.count(array.lengths)):
            low.main.call(name, "i64", [result.pointer, pointer, *counts])
    return result


def _pairwise(kind: str) -> Function:
    """The sum of numbers one after another in NumPy's order."""
    f = Function(f"pairwise_{kind}", [("x", "p"), ("n", "i64")], kind)
    x, n = f.params
    with f.when(f.compare("gt", n, integer(LEAF))):
        half = f.binary("and", f.binary("div", n, integer(2)), integer(-8))
        rest = f.offset(x, half, SIZES[kind])
        first = f.call("self", kind, [x, half])
        f.give(f.add(first, f.call("self", kind, [rest, f.sub(n, half)])))
    f.give(f.call(f"leaf_{kind}", kind, [x, ONE, n]))
    return f


def _rows(kind: str) -> Function:
    """Sums of the rows of a matrix."""
    f = Function(f"rows_{kind}", [("out", "p"), ("x", "p"), ("n", "i64"), ("m", "i64")])
    out, x, n, m = f.params
    with f.loop(n) as i:
        row = f.offset(x, f.mul(i, m), SIZES[kind])
        f.store(out, i, _from_zero(f, kind, row, m))
    f.give(ZERO)
    return f


def _columns(kind: str) -> Function:
    """Sums of the columns of a matrix, row by row; a single column is added as a row is."""
    f = Function(f"columns_{kind}", [("out", "p"), ("x", "p"), ("n", "i64"), ("m", "i64")])
    out, x, n, m = f.params
    f.alone = {"out"}
    with f.when(f.compare("eq", m, ONE)):
        f.store(out, ZERO, _from_zero(f, kind, x, n))
        f.give(ZERO)
    with f.loop(m) as j:
        f.store(out, j, Number(kind, 0.0))
    with f.loop(n) as i:
        row = f.offset(x, f.mul(i, m), SIZES[kind])
        with f.loop(m) as j:
            f.store(out, j, f.add(f.load(kind, out, j), f.load(kind, row, j)))
    f.give(ZERO)
    return f


def _from_zero(f: Function, kind: str, x: Operand, n: Operand) -> Operand:
    return f.add(f.call(f"pairwise_{kind}", kind, [x, n]), Number(kind, 0.0))
