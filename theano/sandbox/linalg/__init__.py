"""Linear algebra, where older programs look for it."""

from theano._src.ops.cholesky import cholesky
from theano._src.ops.diagonal import alloc_diag, extract_diag, trace
from theano._src.ops.factors import diag
from theano._src.ops.hints import psd, spectral_radius_bound
from theano._src.ops.inverse import det, matrix_inverse
from theano._src.ops.solve import solve
from theano._src.ops.spectral import eig, eigh, eigvalsh
from theano.sandbox.linalg import kron, ops

__all__ = [
    "alloc_diag",
    "cholesky",
    "det",
    "diag",
    "eig",
    "eigh",
    "eigvalsh",
    "extract_diag",
    "kron",
    "matrix_inverse",
    "ops",
    "psd",
    "solve",
    "spectral_radius_bound",
    "trace",
]
