"""Linear algebra in NumPy's manner: inverses, decompositions, norms."""

from theano._src.ops.diagonal import AllocDiag, ExtractDiag, alloc_diag, extract_diag, trace
from theano._src.ops.factors import QRFull, QRIncomplete, diag, norm, qr
from theano._src.ops.inverse import (
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
from theano._src.ops.singular import SVD, svd
from theano._src.ops.solve import Lstsq, lstsq, tensorsolve
from theano._src.ops.spectral import Eig, Eigh, eig, eigh
from theano._src.ops.spectralgrad import EighGrad

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
