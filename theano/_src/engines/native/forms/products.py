"""Products of matrices and vectors, by NumPy's own loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from theano._src.engines.native.ir import ONE, Operand, integer
from theano._src.engines.native.loops import NotNative
from theano._src.engines.native.lowering import Lowering
from theano._src.engines.native.nests import Array
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.ops.linalg.blas import LARGE


def matmul(
    low: Lowering,
    out: Variable | None,
    dtype: Any,
    a: Array,
    b: Array,
    lengths: list[Operand] | None = None,
) -> Array:
    """A product by NumPy's own loop, which calls its BLAS; in the memory of ``out``, if given.

    The result has other ``lengths`` than a product of matrices if these are given.
    """
    if a.dtype != dtype or b.dtype != dtype or dtype.name not in ("float64", "float32"):
        raise NotNative("a product of other dtypes")
    if not 1 <= len(a.lengths) <= 2 or not 1 <= len(b.lengths) <= 2:
        raise NotNative("a product with a number")
    if not all(each.flat or each.turned for each in (a, b)):
        raise NotNative("views with gaps, of which NumPy multiplies copies")
    pointers = [low.memory(a), low.memory(b)]
    level = max(a.level, b.level)
    low.require_equal(a.lengths[-1], b.lengths[0], level)
    row, column = len(a.lengths) == 1, len(b.lengths) == 1
    lengths = lengths or [*a.lengths[: 1 - row], *b.lengths[1:]]
    n, k, p = ONE if row else a.lengths[0], a.lengths[-1], ONE if column else b.lengths[1]
    m = low.main
    level = max(level, low.level_of(*lengths, k))
    with low.at(level):
        result = low.new_array(out, lengths, level, dtype)
        # a dimension of length 1 has the stride that it would have without gaps
        strides_a = [m.mul(k, a.strides[-1]) if n == ONE else a.strides[0], a.strides[-1]]
        strides_b = [b.strides[0], ONE if p == ONE else b.strides[-1]]
        assert result.pointer is not None
        counts = [low.length(count) for count in (n, k, p)]
        with low.unlocked(low.count(counts)):
            low.functions.multiply(
                m, dtype, [*pointers, result.pointer], counts, [*strides_a, *strides_b]
            )
    return result


def product(low: Lowering, node: Apply) -> None:
    (x, y), (out,) = node.inputs, node.outputs
    low.set(out, matmul(low, out, out.type.numpy_dtype, low.array(x), low.array(y)))


def tensordot(low: Lowering, node: Apply) -> None:
    """A product along the first or the last dimensions of two arrays."""
    op, (x, y), (out,) = node.op, node.inputs, node.outputs
    a, b = low.array(x), low.array(y)
    if (
        op.batch
        or not _are_at_end(op.axes_a, x.type.ndim)
        or not _are_at_end(op.axes_b, y.type.ndim)
    ):
        raise NotNative("products of many matrices, or dimensions in the middle")
    if not (a.flat and a.ordered and b.flat and b.ordered) or None in (a.type, b.type):
        raise NotNative("views, of which NumPy multiplies copies")
    n = len(op.axes_a)
    for i, j in zip(op.axes_a, op.axes_b, strict=True):
        low.require_equal(a.lengths[i], b.lengths[j], max(a.level, b.level))
    left, rest_a = _as_matrix(low, a, n, last=op.axes_a[0] != 0, turned=op.axes_a[0] == 0)
    right, rest_b = _as_matrix(low, b, n, last=op.axes_b[0] != 0, turned=op.axes_b[0] != 0)
    dtype = out.type.numpy_dtype
    low.set(out, matmul(low, out, dtype, left, right, [*rest_a, *rest_b]))


def _are_at_end(axes: Sequence[int], ndim: int) -> bool:
    """Whether these are the first or the last dimensions, in order, and not all."""
    n = len(axes)
    return 0 < n < ndim and tuple(axes) in (tuple(range(n)), tuple(range(ndim - n, ndim)))


def _as_matrix(
    low: Lowering, array: Array, n: int, last: bool, turned: bool
) -> tuple[Array, list[Operand]]:
    """A flat array as a matrix: its ``n`` first or last dimensions are one, and so are the others.

    Returns the matrix, or its transpose, and the lengths of the other dimensions.
    """
    at = len(array.lengths) - n if last else n
    halves = array.lengths[:at], array.lengths[at:]
    level = max(array.level, low.level_of(*array.lengths))
    pointer = low.memory(array)
    with low.at(level):
        counts = [low.count(half) for half in halves]
        for count in counts:
            low.known_at(count, level)
    matrix = low.whole(array.dtype, pointer, counts, level)
    if turned:
        matrix = replace(
            matrix, lengths=counts[::-1], strides=matrix.strides[::-1],
            flat=False, ordered=False, turned=True,
        )  # fmt: skip
    return matrix, halves[0 if last else 1]


def scaled_product(low: Lowering, node: Apply) -> None:
    """``a x y``, if the product is small."""
    x, y, factor = node.inputs
    (out,) = node.outputs
    dtype, a = out.type.numpy_dtype, low.array(factor)
    if a.dtype != dtype:
        raise NotNative("a factor of another dtype")
    result = matmul(low, None, dtype, low.array(x), low.array(y))
    _leave_if_large(low, result)
    lengths = [low.length(n) for n in result.lengths]
    nest = low.nest_for([result, a], lengths)
    args = [low.into(nest, result), low.into(nest, a)]
    at = nest.step("multiply", np.multiply, args, dtype)
    low.set(out, low.element(out, nest, at, lengths))


def _leave_if_large(low: Lowering, result: Array) -> None:
    """Leave large products to the numpy engine, which lets BLAS scale them."""
    m = low.main
    with low.at(result.level):
        low.leave_if(m.compare("ge", low.count(result.lengths), integer(LARGE)), for_bits=True)


def scaled_sum(low: Lowering, node: Apply) -> None:
    """``b z + a x y``, the product of a matrix and a vector, or of two matrices that are small."""
    z, alpha, x, y, beta = node.inputs
    (out,) = node.outputs
    dtype = out.type.numpy_dtype
    onto, a, b = low.array(z), low.array(alpha), low.array(beta)
    unread, plain, once = _is(beta, 0), _is(alpha, 1), _is(beta, 1)
    if onto.dtype != dtype or a.dtype != dtype or b.dtype != dtype:
        raise NotNative("factors of another dtype")
    if not unread and not onto.ordered:
        raise NotNative("an array whose dimensions were exchanged")
    result = matmul(low, out if unread and plain else None, dtype, low.array(x), low.array(y))
    for mine, other in zip(result.lengths, onto.lengths, strict=True):
        low.require_equal(mine, other, result.level)
    if len(result.lengths) == 2 and not unread:
        _leave_if_large(low, result)
    if unread and plain:
        low.set(out, result)
        return
    lengths = [low.length(n) for n in result.lengths]
    nest = low.nest_for([result, a] if unread else [result, a, onto, b], lengths)
    at = low.into(nest, result)
    if not plain:
        at = nest.step("multiply", np.multiply, [at, low.into(nest, a)], dtype)
    if not unread:
        before = low.into(nest, onto)
        if not once:
            before = nest.step("multiply", np.multiply, [before, low.into(nest, b)], dtype)
        at = nest.step("add", np.add, [before, at], dtype)
    low.set(out, low.element(out, nest, at, lengths))


def _is(v: Variable, value: int) -> bool:
    return isinstance(v, Constant) and bool(np.all(v.data == value))
