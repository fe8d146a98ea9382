"""Helpers for ops on stacks of matrices, which are in the last two dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ops.core.grad_helpers import conjugated
from theano._src.ops.shape.dims import dimshuffle, patternbroadcast
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import TensorVariable

#: from this many rows and columns on, SciPy, which copies less than NumPy, is worth loading
LARGE = 100


def is_large(x: Array) -> bool:
    """Whether ``x`` is one matrix, large enough for SciPy to be faster than NumPy."""
    return x.ndim == 2 and min(x.shape) >= LARGE


def working_dtype(*dtypes: str | np.dtype[Any]) -> str:
    """The dtype for linear algebra on these dtypes: at least float32, as LAPACK requires."""
    return np.result_type("float32", *dtypes).name


def in_working_dtype(xp: ArrayNamespace, *arrays: Array) -> Any:
    """Cast arrays to their common dtype for linear algebra; return a list, or a single array."""
    dtype = working_dtype(*(x.dtype for x in arrays))
    results = [xp.astype(x, dtype) for x in arrays]
    return results if len(results) > 1 else results[0]


class MatrixOp(Op):
    """An op on a matrix, or on each in a stack: batch dimensions are simply prepended."""

    def batch_rule(self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]) -> Any:
        return self(*inputs, return_list=True)


def as_stack(who: Op | str, x: TensorLike) -> TensorVariable:
    """Return ``x`` as a variable; raise if it has fewer than two dimensions."""
    x = as_tensor_variable(x)
    if x.ndim < 2:
        raise TypeError(
            f"{who} takes a matrix, or a stack of matrices in the last two of more dimensions, "
            f"got {x} of {x.type}"
        )
    return x


def check_square(who: Op | str, x: Array) -> None:
    """Raise LinAlgError, as NumPy does, if the matrices in ``x`` are not square."""
    if x.shape[-2] != x.shape[-1]:
        raise np.linalg.LinAlgError(f"{who} takes square matrices, got shape {tuple(x.shape)}")


def is_regular(xp: ArrayNamespace, x: Array) -> Any:
    """Whether no matrix in ``x`` is singular for LAPACK: no pivot is zero.

    XLA computes these factors once, for this check and for the solve.
    """
    factors, _ = xp.slinalg.lu_factor(in_working_dtype(xp, x))
    return xp.all(xp.diagonal(factors, axis1=-2, axis2=-1) != 0)


def transposed(x: TensorVariable) -> Any:
    """Each matrix transposed."""
    return dimshuffle(x, *range(x.ndim - 2), x.ndim - 1, x.ndim - 2)


def adjoint(x: TensorVariable) -> TensorVariable:
    """Each matrix transposed and conjugated."""
    return conjugated(transposed(x))


def as_columns(x: TensorVariable) -> Any:
    """Turn vectors, in the last dimension, into columns that scale the rows of a matrix."""
    return dimshuffle(x, *range(x.ndim), "x")


def from_columns(x: TensorVariable) -> Any:
    """Turn matrices of one column into vectors."""
    one = patternbroadcast(x, (*x.broadcastable[:-1], True))
    return dimshuffle(one, *range(x.ndim - 1))


def in_matrices(x: TensorVariable) -> Any:
    """Add two dimensions, so that one number for each matrix is broadcast over it."""
    return dimshuffle(x, *range(x.ndim), "x", "x")


def summed_like(g: TensorVariable, x: TensorVariable, own: int = 2) -> Any:
    """Sum a gradient over the dimensions of ``x``, before the last ``own``, that were broadcast."""
    if g.ndim > x.ndim:
        g = g.sum(axis=list(range(g.ndim - x.ndim)))
    shared = range(x.ndim - own)
    axes = [d for d in shared if x.broadcastable[d] and not g.broadcastable[d]]
    if axes:
        g = g.sum(axis=axes, keepdims=True)
    return patternbroadcast(g, x.broadcastable)


def common_pattern(*patterns: Sequence[bool]) -> tuple[bool, ...]:
    """The broadcastable pattern of stacks that are broadcast together."""
    ndim = max(map(len, patterns))
    full = [(True,) * (ndim - len(p)) + tuple(p) for p in patterns]
    return tuple(all(column) for column in zip(*full, strict=True))


def check_stacks(who: Op | str, types: Sequence[Any], shapes: Sequence[Sequence[int]]) -> None:
    """Raise if lengths of stacks differ in a dimension that no type lets broadcast."""
    ndim = max(map(len, shapes), default=0)
    for d in range(1, ndim + 1):
        lengths = {
            shape[-d]
            for pattern, shape in zip(types, shapes, strict=True)
            if d <= len(shape) and not pattern[-d]
        }
        if len(lengths) > 1:
            raise ValueError(
                f"{who} takes stacks of equal lengths, got {' and '.join(map(str, shapes))}; a "
                "dimension stretches where its type is broadcastable"
            )


def common_shape(types: Sequence[Sequence[bool]], shapes: Sequence[Sequence[Any]]) -> list[Any]:
    """The symbolic lengths of stacks that are broadcast together."""
    results = []
    for d in range(max(map(len, shapes), default=0), 0, -1):
        having = [(p[-d], s[-d]) for p, s in zip(types, shapes, strict=True) if d <= len(s)]
        results.append(next((n for one, n in having if not one), having[0][1]))
    return results
