"""Sums over all dimensions, or over the first or the last of them.

Floats that are added up in a wider dtype are converted in NumPy's buffer: it adds up the elements
of each buffer as it adds up arrays, and then the sums, one after another.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

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
from theano._src.engines.native.steps import Formula, Input, Result, Step
from theano._src.graph.graph import Apply

#: elements of NumPy's buffer
_BUFFER = 8192


def total(low: Lowering, node: Apply) -> None:
    (x,), (out,) = node.inputs, node.outputs
    array, acc = low.array(x), np.dtype(node.op.acc_dtype)
    if x.type.ndim == 0:
        raise NotNative("a sum of a number")
    if array.type in FLOATS and array.dtype != acc:
        _converting(low, node, array, acc)
    elif acc != out.type.numpy_dtype:
        raise NotNative("a sum that converts")
    elif out.type.ndim:
        if array.dtype != acc:
            raise NotNative("a sum that converts")
        low.set(out, summed(low, array, node.op.axis, out=out))
    else:
        _full(low, node, array, acc)


def _full(low: Lowering, node: Apply, array: Array, dtype: Any) -> None:
    if not array.flat or array.type is None or array.number is not None:
        raise NotNative("a sum of a view")
    kind = TYPES.get(dtype)
    if array.dtype != dtype and (kind is None or kind in FLOATS or array.type in FLOATS):
        raise NotNative("a sum of floats in another dtype")
    low.total(node, array, dtype)


def _converting(low: Lowering, node: Apply, array: Array, acc: Any) -> None:
    """A sum of float32 in float64; the result may be float32 again."""
    out = node.outputs[0]
    if acc != np.float64 or out.type.dtype not in ("float32", "float64"):
        raise NotNative("a sum that converts")
    if not _adds_buffers():
        raise NotNative("NumPy adds up what it converts in another order")
    axes = range(len(array.lengths)) if node.op.axis is None else node.op.axis
    result = summed(low, array, tuple(axes), acc=acc)
    if out.type.dtype == "float32":
        pattern = out.type.broadcastable
        cast = Formula([Step("cast", None, (Input(0),), np.dtype("float32"))], Result(0))
        result = low.elementwise([result], [pattern], cast, out)
    low.set(out, result)


@cache
def _adds_buffers() -> bool:
    """Whether NumPy converts and adds up as it did when this was written."""
    x = np.random.RandomState(0).normal(size=(3, 2 * _BUFFER + 9)).astype("float32")
    x *= np.exp(np.linspace(-30, 30, x.size, dtype="float32").reshape(x.shape))
    expected = [
        sum(
            (
                np.add.reduce(row[i : i + _BUFFER].astype("float64"))
                for i in range(0, len(row), _BUFFER)
            ),
            start=0.0,
        )
        for row in x
    ]
    return bool(np.all(np.add.reduce(x, axis=1, dtype="float64") == expected))


def summed(
    low: Lowering, array: Array, axes: Sequence[int], acc: Any = None, out: Any = None
) -> Array:
    """The sums of an array along its first or its last dimensions, in the dtype ``acc``."""
    if _are_both_ends(axes, len(array.lengths)):
        return _of_both_ends(low, array, axes, acc, out)
    first, at = split(array, axes)
    acc = array.dtype if acc is None else acc
    if array.type not in FLOATS:
        raise NotNative("a sum of integers")
    assert array.type is not None
    kinds = array.type, TYPES[acc]
    pointer = low.memory(array)
    level = max(array.level, low.level_of(*array.lengths))
    kept = array.lengths[at:] if first else array.lengths[:at]
    low.kernel(leaf_sum(kinds[1], kinds[0]))
    low.kernel(_pairwise(*kinds))
    name = low.kernel(_columns(*kinds) if first else _rows(*kinds))
    with low.at(level):
        result = low.new_array(out, kept, level, acc)
        assert result.pointer is not None
        counts = [low.count(array.lengths[:at]), low.count(array.lengths[at:])]
        with low.unlocked(low.count(array.lengths)):
            low.main.call(name, "i64", [result.pointer, pointer, *counts])
    return result


def _are_both_ends(axes: Sequence[int], ndim: int) -> bool:
    """Whether these are some of the first and some of the last dimensions, but not all."""
    rest = [i for i in range(ndim) if i not in axes]
    is_within = bool(rest) and rest[0] > 0 and rest[-1] < ndim - 1
    return is_within and rest == list(range(rest[0], rest[-1] + 1))


def _of_both_ends(low: Lowering, array: Array, axes: Sequence[int], acc: Any, out: Any) -> Array:
    """The sums of an array along its first and its last dimensions: rows, and then their sums.

    If only one sum remains, NumPy adds up all elements as one row.
    """
    rest = [i for i in range(len(array.lengths)) if i not in axes]
    acc = array.dtype if acc is None else acc
    if array.type not in FLOATS or not array.flat or array.number is not None:
        raise NotNative("a sum of integers, a number, or a view")
    if acc != array.dtype and low.functions.has_numpy_digits:
        raise NotNative("NumPy converts parts of several rows at a time")
    assert array.type is not None
    since, kind = array.type, TYPES[acc]
    pointer = low.memory(array)
    level = max(array.level, low.level_of(*array.lengths))
    low.kernel(leaf_sum(kind, since))
    low.kernel(leaf_sum(kind))
    low.kernel(_pairwise(since, kind))
    low.kernel(_pairwise(kind, kind))
    rows, columns = low.kernel(_rows(since, kind)), low.kernel(_columns(kind, kind))
    m, kept = low.main, array.lengths[rest[0] : rest[-1] + 1]
    with low.at(level):
        first = low.count(array.lengths[: rest[0]])
        count = low.count(kept)
        last = low.count(array.lengths[rest[-1] + 1 :])
        is_one = m.compare("eq", count, ONE)
        last = m.select(is_one, m.mul(first, last), last)
        first = m.select(is_one, ONE, first)
        sums = low.new_array(None, [m.mul(first, count)], level, acc)
        result = low.new_array(out, kept, level, acc)
        assert sums.pointer is not None and result.pointer is not None
        with low.unlocked(low.count(array.lengths)):
            m.call(rows, "i64", [sums.pointer, pointer, m.mul(first, count), last])
            m.call(columns, "i64", [result.pointer, sums.pointer, first, count])
    return result


def _named(what: str, since: str, kind: str) -> str:
    return f"{what}_{kind}" if since == kind else f"{what}_{since}_{kind}"


def _pairwise(since: str, kind: str) -> Function:
    """The sum of numbers one after another in NumPy's order."""
    f = Function(_named("pairwise", since, kind), [("x", "p"), ("n", "i64")], kind)
    x, n = f.params
    with f.when(f.compare("gt", n, integer(LEAF))):
        half = f.binary("and", f.binary("div", n, integer(2)), integer(-8))
        rest = f.offset(x, half, SIZES[since])
        first = f.call("self", kind, [x, half])
        f.give(f.add(first, f.call("self", kind, [rest, f.sub(n, half)])))
    f.give(f.call(_named("leaf", since, kind), kind, [x, n]))
    return f


def _rows(since: str, kind: str) -> Function:
    """Sums of the rows of a matrix."""
    params = [("out", "p"), ("x", "p"), ("n", "i64"), ("m", "i64")]
    f = Function(_named("rows", since, kind), params)
    out, x, n, m = f.params
    with f.loop(n) as i:
        row = f.offset(x, f.mul(i, m), SIZES[since])
        f.store(out, i, _from_zero(f, since, kind, row, m))
    f.give(ZERO)
    return f


def _columns(since: str, kind: str) -> Function:
    """Sums of the columns of a matrix, row by row; a single column is added as a row is."""
    params = [("out", "p"), ("x", "p"), ("n", "i64"), ("m", "i64")]
    f = Function(_named("columns", since, kind), params)
    out, x, n, m = f.params
    f.alone = {"out"}
    with f.when(f.compare("eq", m, ONE)):
        f.store(out, ZERO, _from_zero(f, since, kind, x, n))
        f.give(ZERO)
    with f.loop(m) as j:
        f.store(out, j, Number(kind, 0.0))
    with f.loop(n) as i:
        row = f.offset(x, f.mul(i, m), SIZES[since])
        with f.loop(m) as j:
            f.store(out, j, f.add(f.load(kind, out, j), f.cast(kind, f.load(since, row, j))))
    f.give(ZERO)
    return f


def _from_zero(f: Function, since: str, kind: str, x: Operand, n: Operand) -> Operand:
    """The sum of ``n`` numbers: of all at once, or buffer by buffer where they are converted."""
    pairwise, zero = _named("pairwise", since, kind), Number(kind, 0.0)
    if since == kind:
        return f.add(f.call(pairwise, kind, [x, n]), zero)
    total = f.declare(zero)
    buffers = f.binary("div", f.add(n, integer(_BUFFER - 1)), integer(_BUFFER))
    with f.loop(buffers) as k:
        first = f.mul(k, integer(_BUFFER))
        count = f.binary("min", integer(_BUFFER), f.sub(n, first))
        part = f.call(pairwise, kind, [f.offset(x, first, SIZES[since]), count])
        f.put(total, f.add(f.get(total), part))
    return f.get(total)
