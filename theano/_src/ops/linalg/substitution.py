"""Triangular systems of NumPy arrays: by BLAS, or row by row if BLAS threads would compete."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.ops.linalg.scipy_blas import LETTERS, fortran_blas, has_one_thread

#: up to this many rows, several right-hand sides are solved row by row if BLAS has threads
_FEW = 64


def solve_on_numpy(
    A: np.ndarray, b: np.ndarray, lower: bool, trans: str, unit_diagonal: bool
) -> Any:
    """Solve A x = b, or with the transpose ('T') or adjoint ('C') of A, for a vector or matrix b.

    NaN propagates, as in ``numpy.linalg``; a singular A raises LinAlgError with SciPy's text.
    """
    if not b.size:
        return np.empty_like(b)
    if not unit_diagonal:
        zeros = np.flatnonzero(np.diagonal(A) == 0)
        if zeros.size:
            raise np.linalg.LinAlgError(
                f"singular matrix: resolution failed at diagonal {zeros[0]}"
            )
    # SciPy's BLAS and NumPy's have separate threads. With several each, they wait for each other:
    # 10 to 30 ms on a busy machine instead of 0.05 ms. For vectors BLAS uses one thread.
    if b.ndim == 2 and len(A) <= _FEW and not has_one_thread():
        if trans != "N":
            A, lower = (A.conj() if trans == "C" else A).T, not lower
        return _row_by_row(A, b, lower, unit_diagonal)
    return _by_blas(A, b, lower, trans, unit_diagonal)


def _row_by_row(A: np.ndarray, b: np.ndarray, lower: bool, unit_diagonal: bool) -> np.ndarray:
    x = np.array(b, order="C")
    n = len(A)
    for i in range(n) if lower else range(n - 1, -1, -1):
        done = slice(0, i) if lower else slice(i + 1, n)
        if done.start < done.stop:
            x[i] -= A[i, done] @ x[done]
        if not unit_diagonal:
            x[i] /= A[i, i]
    return x


def _by_blas(A: np.ndarray, b: np.ndarray, lower: bool, trans: str, unit_diagonal: bool) -> Any:
    """Solve the transposed equation with SciPy's trsm: BLAS stores by columns, NumPy by rows."""
    trsm: Any = getattr(fortran_blas(), f"{LETTERS[A.dtype.char]}trsm")
    columns = b if b.ndim == 2 else b[:, None]
    turned = "NTC".index(trans)
    if A.flags.f_contiguous and trans != "C":
        # stored by columns: trsm does not copy it
        result = trsm(
            1.0, A, columns.T, side=1, lower=lower, trans_a=1 - turned, diag=unit_diagonal
        )
    else:
        result = trsm(
            1.0, A.T, columns.T, side=1, lower=not lower, trans_a=turned, diag=unit_diagonal
        )
    return result.T if b.ndim == 2 else result.T[:, 0]
