"""Maxima, minima, products, and positions of maxima: over all dimensions, the first, or the last.

Values are folded by the loop that NumPy's `reduce` calls, with the same arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.engines.native.functions import copied_as
from theano._src.engines.native.inline import TYPES
from theano._src.engines.native.ir import FLOATS, ONE, SIZES, ZERO, Function, Operand, integer
from theano._src.engines.native.loops import NotNative
from theano._src.engines.native.lowering import Lowering
from theano._src.engines.native.nests import Array
from theano._src.graph.graph import Apply, Variable


def fold(low: Lowering, node: Apply) -> None:
    """Max, Min and Prod."""
    (x,), (out,), op = node.inputs, node.outputs, node.op
    if getattr(op, "acc_dtype", x.type.dtype) not in (None, x.type.dtype):
        raise NotNative("a product that converts")
    if out.type.dtype != x.type.dtype or x.type.dtype == "bool":
        raise NotNative("a product that converts, or truth values")
    axes = tuple(range(x.type.ndim)) if op.axis is None else op.axis
    low.set(out, folded(low, low.array(x), axes, op._ufunc, out))


def of_bools(low: Lowering, node: Apply) -> None:
    """All and Any."""
    (x,), (out,) = node.inputs, node.outputs
    array, kind = low.array(x), type(node.op).__name__
    if x.type.dtype != "bool":
        raise NotNative("truth values of numbers")
    if array.number is not None:
        low.set(out, low.a_number(array.dtype, array.number, out.type.ndim, array.level))
        return
    axes = tuple(range(x.type.ndim)) if node.op.axis is None else node.op.axis
    ufunc = np.logical_and if kind == "All" else np.logical_or
    low.set(out, folded(low, array, axes, ufunc, out))


def split(array: Array, axes: Sequence[int]) -> tuple[bool, int]:
    """Whether these are the first dimensions of a flat array, and where they end or begin."""
    ndim = len(array.lengths)
    if not array.flat or not array.ordered or array.number is not None:
        raise NotNative("a number, or a view")
    if not axes:
        raise NotNative("no dimensions")
    if tuple(axes) == tuple(range(ndim - len(axes), ndim)):
        return False, ndim - len(axes)
    if tuple(axes) == tuple(range(len(axes))):
        return True, len(axes)
    raise NotNative("dimensions in the middle")


def folded(
    low: Lowering, array: Array, axes: Sequence[int], ufunc: np.ufunc, out: Variable | None = None
) -> Array:
    """The elements of an array folded by a ufunc along its first or its last dimensions."""
    first, at = split(array, axes)
    dtype = array.dtype
    low.functions.check(ufunc, (dtype,) * 3)
    pointer = low.memory(array)
    level = max(array.level, low.level_of(*array.lengths))
    kept = array.lengths[at:] if first else array.lengths[:at]
    rows = low.kernel(_rows(low, ufunc, dtype))
    with low.at(level):
        counts = [low.count(array.lengths[:at]), low.count(array.lengths[at:])]
        leave_if_none(low, counts[0 if first else 1])
        result = low.new_array(out, kept, level, dtype)
        assert result.pointer is not None
        arguments = [result.pointer, pointer, *counts]
        with low.unlocked(low.count(array.lengths)):
            if first:
                columns = low.kernel(_columns(low, ufunc, dtype, rows))
                low.main.call(columns, "i64", arguments)
            else:
                low.main.call(rows, "i64", arguments)
    return result


def leave_if_none(low: Lowering, n: Operand) -> None:
    """Leave a call to the numpy engine if there are no elements to fold."""
    low.leave_if(low.main.compare("eq", n, ZERO))


def _copied(f: Function, target: Operand, source: Operand, n: Operand, dtype: Any) -> None:
    kind, words = copied_as(dtype)
    with f.loop(f.mul(n, integer(words))) as i:
        f.store(target, i, f.load(kind, source, i))


def _rows(low: Lowering, ufunc: np.ufunc, dtype: Any) -> Function:
    """The elements of each row of a matrix folded, from the first on."""
    params = [("out", "p"), ("x", "p"), ("n", "i64"), ("m", "i64")]
    f = Function(f"{ufunc.__name__}_rows_{dtype.name}", params)
    out, x, n, m = f.params
    size = dtype.itemsize
    with f.loop(n) as i:
        row, target = f.offset(x, f.mul(i, m), size), f.offset(out, i, size)
        _copied(f, target, row, ONE, dtype)
        places = [(target, ZERO), (f.offset(row, ONE, size), ONE), (target, ZERO)]
        low.functions.call(f, ufunc, (dtype,) * 3, places, f.sub(m, ONE))
    f.give(ZERO)
    return f


def _columns(low: Lowering, ufunc: np.ufunc, dtype: Any, rows: str) -> Function:
    """The rows of a matrix folded, from the first on; a single column is folded as a row is."""
    params = [("out", "p"), ("x", "p"), ("n", "i64"), ("m", "i64")]
    f = Function(f"{ufunc.__name__}_columns_{dtype.name}", params)
    out, x, n, m = f.params
    size = dtype.itemsize
    with f.when(f.compare("eq", m, ONE)):
        f.give(f.call(rows, "i64", [out, x, ONE, n]))
    _copied(f, out, x, m, dtype)
    with f.loop(f.sub(n, ONE)) as i:
        row = f.offset(x, f.mul(f.add(i, ONE), m), size)
        places = [(out, ONE), (row, ONE), (out, ONE)]
        low.functions.call(f, ufunc, (dtype,) * 3, places, m)
    f.give(ZERO)
    return f


def position(low: Lowering, node: Apply) -> None:
    """Argmax and Argmin over all dimensions, or the last."""
    (x,), op, out = node.inputs, node.op, node.outputs[-1]
    largest = "max" in type(op).__name__.lower()
    low.set(out, positions(low, low.array(x), op.axis, largest, out))


def positions(
    low: Lowering,
    array: Array,
    axes: Sequence[int],
    largest: bool,
    out: Variable | None = None,
) -> Array:
    """Where an array has its largest or smallest elements: along all dimensions, or one of them."""
    kind = TYPES.get(array.dtype)
    if kind is None or kind == "bool":
        raise NotNative("truth values, or a dtype without an order")
    first, at = split(array, axes)
    if len(axes) not in (1, len(array.lengths)):
        raise NotNative("dimensions that NumPy exchanges")
    pointer = low.memory(array)
    level = max(array.level, low.level_of(*array.lengths))
    kernel = low.kernel(_positions(kind, largest))
    with low.at(level):
        kept, along = array.lengths[:at], array.lengths[at:]
        if first:
            kept, along = along, kept
        n, m = low.count(kept), low.count(along)
        leave_if_none(low, m)
        result = low.new_array(out, kept, level, np.dtype("int64"))
        assert result.pointer is not None
        strides = [ONE, n] if first else [m, ONE]
        with low.unlocked(low.count(array.lengths)):
            low.main.call(kernel, "i64", [result.pointer, pointer, n, m, *strides])
    return result


def _positions(kind: str, largest: bool) -> Function:
    """Where each row of a matrix has its largest or smallest element: the first, or of NaN.

    ``down`` and ``along`` are the distances of rows and of elements.
    """
    params = [("out", "p"), ("x", "p"), ("n", "i64"), ("m", "i64")]
    params += [("down", "i64"), ("along", "i64")]
    f = Function(f"arg{'max' if largest else 'min'}_{kind}", params)
    out, x, n, m, down, along = f.params
    with f.loop(n) as i:
        row = f.offset(x, f.mul(i, down), SIZES[kind])
        best, at = f.declare(f.load(kind, row)), f.declare(ZERO)
        with f.loop(m) as j:
            value, known = f.load(kind, row, f.mul(j, along)), f.get(best)
            better = f.compare("gt" if largest else "lt", value, known)
            if kind in FLOATS:
                is_first_nan = f.binary("and", f.is_nan(value), f.compare("eq", known, known))
                better = f.binary("or", better, is_first_nan)
            with f.when(better):
                f.put(best, value)
                f.put(at, j)
        f.store(out, i, f.get(at))
    f.give(ZERO)
    return f
