"""Linear algebra, where older programs look for it."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano.sandbox.linalg: kron ops
    theano.sandbox.linalg.ops: psd spectral_radius_bound
    theano.tensor.nlinalg: alloc_diag det diag eig eigh extract_diag matrix_inverse trace
    theano.tensor.slinalg: cholesky eigvalsh solve
    """,
)
