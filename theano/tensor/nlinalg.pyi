# Written by tools/stubs.py from nlinalg.py: change that file.
from theano._src.ops.arrays.diagonal import (
    AllocDiag as AllocDiag,
    ExtractDiag as ExtractDiag,
    alloc_diag as alloc_diag,
    extract_diag as extract_diag,
    trace as trace,
)
from theano._src.ops.linalg.factors import (
    QRFull as QRFull,
    QRIncomplete as QRIncomplete,
    diag as diag,
    norm as norm,
    qr as qr,
)
from theano._src.ops.linalg.inverse import (
    Det as Det,
    MatrixInverse as MatrixInverse,
    MatrixPinv as MatrixPinv,
    SLogDet as SLogDet,
    det as det,
    matrix_dot as matrix_dot,
    matrix_inverse as matrix_inverse,
    matrix_power as matrix_power,
    pinv as pinv,
    slogdet as slogdet,
    tensorinv as tensorinv,
)
from theano._src.ops.linalg.singular import SVD as SVD, svd as svd
from theano._src.ops.linalg.solve import Lstsq as Lstsq, lstsq as lstsq, tensorsolve as tensorsolve
from theano._src.ops.linalg.spectral import Eig as Eig, Eigh as Eigh, eig as eig, eigh as eigh
from theano._src.ops.linalg.spectral_grad import EighGrad as EighGrad

inv = matrix_inverse
