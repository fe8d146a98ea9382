# Written by tools/stubs.py from __init__.py: change that file.
from theano.sandbox.linalg import kron as kron, ops as ops
from theano.sandbox.linalg.ops import psd as psd, spectral_radius_bound as spectral_radius_bound
from theano.tensor.nlinalg import (
    alloc_diag as alloc_diag,
    det as det,
    diag as diag,
    eig as eig,
    eigh as eigh,
    extract_diag as extract_diag,
    matrix_inverse as matrix_inverse,
    trace as trace,
)
from theano.tensor.slinalg import cholesky as cholesky, eigvalsh as eigvalsh, solve as solve
