"""Linear algebra after numpy.linalg: inverses, decompositions, norms."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.arrays.diagonal: AllocDiag ExtractDiag alloc_diag extract_diag trace
    theano._src.ops.linalg.factors: QRFull QRIncomplete diag norm qr
    theano._src.ops.linalg.inverse: Det MatrixInverse MatrixPinv SLogDet det matrix_dot
        matrix_inverse matrix_power pinv slogdet tensorinv inv=matrix_inverse
    theano._src.ops.linalg.singular: SVD svd
    theano._src.ops.linalg.solve: Lstsq lstsq tensorsolve
    theano._src.ops.linalg.spectral: Eig Eigh eig eigh
    theano._src.ops.linalg.spectral_grad: EighGrad
    """,
)
