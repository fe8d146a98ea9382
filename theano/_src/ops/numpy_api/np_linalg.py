"""``numpy.linalg`` with NumPy's signatures, where a family has other names or arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.ops.arrays import diagonal as diagonals
from theano._src.ops.core import cast
from theano._src.ops.elementwise import arithmetic, compare
from theano._src.ops.linalg import (
    cholesky as choleskys,
    dot as multiplied,
    factors,
    inverse,
    singular,
    solve as solving,
    spectral,
)
from theano._src.ops.numpy_api import np_arrays
from theano._src.ops.numpy_api.np_arrays import named
from theano._src.ops.reduce import reduce
from theano._src.ops.shape import dims, shape as shapes
from theano._src.types.aliases import Axis, DTypeLike, TensorLike
from theano._src.types.convert import as_tensor_variable


def inv(a: TensorLike) -> Any:
    return inverse.matrix_inverse(a)


def slogdet(a: TensorLike) -> Any:
    return named("SlogdetResult", "sign logabsdet")(*inverse.slogdet(a))


def cholesky(a: TensorLike, *, upper: bool = False) -> Any:
    return choleskys.cholesky(a, lower=not upper)


def lstsq(a: TensorLike, b: TensorLike, rcond: float | None = None) -> Any:
    return tuple(solving.lstsq(a, b, rcond))


def eig(a: TensorLike) -> Any:
    return named("EigResult", "eigenvalues eigenvectors")(*spectral.eig(a))


def eigvals(a: TensorLike) -> Any:
    return spectral.eig(a)[0]


def eigh(a: TensorLike, UPLO: str = "L") -> Any:
    return named("EighResult", "eigenvalues eigenvectors")(*spectral.eigh(a, UPLO))


def eigvalsh(a: TensorLike, UPLO: str = "L") -> Any:
    return spectral.eigvalsh(a, lower=UPLO.upper() == "L")


def svd(a: TensorLike, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    result = singular.svd(a, full_matrices, compute_uv)
    return named("SVDResult", "U S Vh")(*result) if compute_uv else result


def svdvals(x: TensorLike) -> Any:
    return singular.svd(x, compute_uv=False)


def qr(a: TensorLike, mode: str = "reduced") -> Any:
    result = factors.qr(a, mode)
    return named("QRResult", "Q R")(*result) if isinstance(result, (list, tuple)) else result


def matrix_norm(x: TensorLike, *, keepdims: bool = False, ord: float | str = "fro") -> Any:
    return factors.norm(x, ord, (-2, -1), keepdims)


def vector_norm(
    x: TensorLike, *, axis: Axis = None, keepdims: bool = False, ord: float | str = 2
) -> Any:
    x = as_tensor_variable(x)
    over = list(range(x.ndim)) if axis is None else axis
    if isinstance(over, int):
        return factors.norm(x, ord, over, keepdims)
    # merge several dimensions into one last dimension
    over = [i % x.ndim for i in over]
    stay = [i for i in range(x.ndim) if i not in over]
    lengths = [shapes.shape_i_op(i)(x) for i in stay]
    flat = shapes.reshape(x.dimshuffle(*stay, *over), [*lengths, -1], ndim=len(stay) + 1)
    result = factors.norm(flat, ord, len(stay))
    kept = iter(range(len(stay)))
    return (
        result.dimshuffle(*("x" if i in over else next(kept) for i in range(x.ndim)))
        if keepdims
        else result
    )


def cond(x: TensorLike, p: factors.Order = None) -> Any:
    if p is None or p in (2, -2):
        s = svdvals(x)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return factors.norm(x, p, (-2, -1)) * factors.norm(inv(x), p, (-2, -1))


def matrix_rank(A: TensorLike, tol: TensorLike = None, *, rtol: TensorLike = None) -> Any:
    A = as_tensor_variable(A)
    if A.ndim < 2:
        return cast.cast(reduce.any(compare.neq(A, 0)), "int64")
    s = svdvals(A)
    if tol is None:
        if rtol is None:
            sides = (shapes.shape_i_op(A.ndim - 2)(A), shapes.shape_i_op(A.ndim - 1)(A))
            rtol = arithmetic.maximum(*sides) * float(np.finfo(s.dtype).eps)
        tol = reduce.max(s, axis=-1, keepdims=True) * rtol
    return reduce.sum(compare.gt(s, tol), axis=-1, dtype="int64")


def multi_dot(arrays: Sequence[Any]) -> Any:
    """Multiply in the given order, from left to right."""
    tensor = as_tensor_variable(arrays[0])
    for array in arrays[1:]:
        tensor = multiplied.dot(tensor, array)
    return tensor


def matrix_transpose(x: TensorLike) -> Any:
    return dims.swapaxes(as_tensor_variable(x), -1, -2)


def diagonal(x: TensorLike, *, offset: int = 0) -> Any:
    return diagonals.diagonal(x, offset, -2, -1)


def trace(x: TensorLike, *, offset: int = 0, dtype: DTypeLike = None) -> Any:
    return np_arrays.trace(x, offset, -2, -1, dtype)
