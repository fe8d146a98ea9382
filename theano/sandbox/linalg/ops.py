"""Hints about matrices, and the ops that stood here once."""

from theano._src.ops.cholesky import Cholesky, cholesky
from theano._src.ops.diagonal import AllocDiag, ExtractDiag, alloc_diag, extract_diag, trace
from theano._src.ops.factors import diag
from theano._src.ops.hints import (
    Hint,
    HintsFeature,
    HintsOptimizer,
    hints,
    is_psd,
    is_symmetric,
    psd,
    spectral_radius_bound,
)
from theano._src.ops.inverse import (
    Det,
    MatrixInverse,
    MatrixPinv,
    det,
    matrix_dot,
    matrix_inverse,
    pinv,
)
from theano._src.ops.solve import Solve, solve
from theano._src.ops.spectral import Eig, Eigh, EighGrad, Eigvalsh, eig, eigh, eigvalsh

__all__ = [
    "AllocDiag",
    "Cholesky",
    "Det",
    "Eig",
    "Eigh",
    "EighGrad",
    "Eigvalsh",
    "ExtractDiag",
    "Hint",
    "HintsFeature",
    "HintsOptimizer",
    "MatrixInverse",
    "MatrixPinv",
    "Solve",
    "alloc_diag",
    "cholesky",
    "det",
    "diag",
    "eig",
    "eigh",
    "eigvalsh",
    "extract_diag",
    "hints",
    "is_psd",
    "is_symmetric",
    "matrix_dot",
    "matrix_inverse",
    "pinv",
    "psd",
    "solve",
    "spectral_radius_bound",
    "trace",
]
