"""Linear algebra, where older programs look for it."""

from theano.sandbox.linalg import kron, ops
from theano.sandbox.linalg.ops import psd, spectral_radius_bound
from theano.tensor.nlinalg import (
    alloc_diag,
    det,
    diag,
    eig,
    eigh,
    extract_diag,
    matrix_inverse,
    trace,
)
from theano.tensor.slinalg import cholesky, eigvalsh, solve

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
