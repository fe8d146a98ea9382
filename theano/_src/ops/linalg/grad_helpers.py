"""Diagonals and triangles of stacks of matrices, for derivatives of decompositions."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array
from theano._src.ops.arrays.diagonal import AllocDiag, ExtractDiag
from theano._src.ops.core.grad_helpers import const_like
from theano._src.ops.elementwise.arithmetic import true_div
from theano._src.ops.elementwise.compare import eq, gt, switch
from theano._src.ops.elementwise.complex_parts import complex as complex_, real
from theano._src.ops.linalg.dot import matmul
from theano._src.ops.linalg.matrix_stacks import as_columns
from theano._src.ops.shape.dims import dimshuffle
from theano._src.ops.shape.ranges import arange
from theano._src.ops.shape.shape import shape_i
from theano._src.types.dtypes import complex_dtypes
from theano._src.types.null import DisconnectedType
from theano._src.types.tensor import TensorVariable

#: the diagonal of each matrix, and a matrix with each vector on its diagonal
diagonals, on_diagonals = ExtractDiag(0, -2, -1), AllocDiag(0, -2, -1)


def real_dtype(dtype: str) -> str:
    """The dtype of the absolute value of a number of this dtype."""
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def check_finite(who: Op | str, x: Array) -> None:
    """Raise LinAlgError for NaN and infinity: some LAPACK iterations fail on them."""
    if x.dtype.kind in "fc" and not np.isfinite(x).all():
        raise np.linalg.LinAlgError(f"{who} takes finite numbers, got NaN or infinity")


def times(first: TensorVariable, *others: TensorVariable) -> TensorVariable:
    """The product of matrices, from the left."""
    for other in others:
        first = matmul(first, other)
    return first


def along_columns(v: TensorVariable) -> Any:
    """Turn vectors into rows that, multiplied with a matrix, scale its columns."""
    return dimshuffle(v, *range(v.ndim - 1), "x", v.ndim - 1)


def _numbered(x: TensorVariable) -> tuple[Any, Any]:
    """The row and column number of each entry."""
    front = ["x"] * (x.ndim - 2)
    rows, columns = arange(shape_i(x, x.ndim - 2)), arange(shape_i(x, x.ndim - 1))
    return dimshuffle(rows, *front, 0, "x"), dimshuffle(columns, *front, "x", 0)


def _there(x: TensorVariable) -> TensorVariable:
    """Whether each entry is on the diagonal."""
    return eq(*_numbered(x))


def under_diagonal(x: TensorVariable) -> TensorVariable:
    """``x`` where it is under the diagonal, else 0."""
    return switch(gt(*_numbered(x)), x, const_like(0, x))


def real_diagonal(x: TensorVariable) -> TensorVariable:
    """The diagonal of ``x`` without its imaginary part, 0 elsewhere."""
    kept = x
    if x.dtype in complex_dtypes:
        kept = complex_(real(x), real(x).zeros_like())
    return switch(_there(x), kept, const_like(0, x))


def over_gaps(x: TensorVariable, w: TensorVariable) -> TensorVariable:
    """``x[i, j] / (w[j] - w[i])`` off the diagonal, 0 on it.

    Equal values divide by zero: their eigenvectors or singular vectors have no derivative.
    """
    gaps = along_columns(w) - as_columns(w)
    there = _there(x)
    gaps = switch(there, const_like(1, gaps), gaps)
    return switch(there, const_like(0, x), true_div(x, gaps))


def is_absent(g: Variable) -> bool:
    """Whether a gradient is disconnected: its output is not used."""
    return isinstance(g.type, DisconnectedType)


def or_zeros(g: TensorVariable, like: TensorVariable) -> TensorVariable:
    """The gradient, or zeros if it is absent."""
    return like.zeros_like() if is_absent(g) else g
