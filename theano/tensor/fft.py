"""Fourier transforms of real numbers."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.linalg.fourier import (
    IRFFTOp as IRFFTOp,
    RFFTOp as RFFTOp,
    irfft as irfft,
    irfft_op as irfft_op,
    rfft as rfft,
    rfft_op as rfft_op,
)

__getattr__ = _module_getattr(__name__)
