"""Linear algebra in NumPy's manner: inverses, decompositions, norms."""

from theano._src.ops.arrays.diagonal import AllocDiag, ExtractDiag, alloc_diag, extract_diag, trace
from theano._src.ops.linalg.factors import QRFull, QRIncomplete, diag, norm, qr
from theano._src.ops.linalg.inverse import (
    Det,
    MatrixInverse,
    MatrixPinv,
    SLogDet,
    det,
    matrix_dot,
    matrix_inverse,
    matrix_power,
    pinv,
    slogdet,
    tensorinv,
)
from theano._src.ops.linalg.singular import SVD, svd
from theano._src.ops.linalg.solve import Lstsq, lstsq, tensorsolve
from theano._src.ops.linalg.spectral import Eig, Eigh, eig, eigh
from theano._src.ops.linalg.spectral_grad import EighGrad

inv = matrix_inverse

__all__ = [
    "SVD",
    "AllocDiag",
    "Det",
    "Eig",
    "Eigh",
    "EighGrad",
    "ExtractDiag",
    "Lstsq",
    "MatrixInverse",
    "MatrixPinv",
    "QRFull",
    "QRIncomplete",
    "SLogDet",
    "alloc_diag",
    "det",
    "diag",
    "eig",
    "eigh",
    "extract_diag",
    "inv",
    "lstsq",
    "matrix_dot",
    "matrix_inverse",
    "matrix_power",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "svd",
    "tensorinv",
    "tensorsolve",
    "trace",
]
