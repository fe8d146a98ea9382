"""Fourier transforms of real numbers."""

from theano._src.ops.linalg.fourier import IRFFTOp, RFFTOp, irfft, irfft_op, rfft, rfft_op

__all__ = [
    "IRFFTOp",
    "RFFTOp",
    "irfft",
    "irfft_op",
    "rfft",
    "rfft_op",
]
