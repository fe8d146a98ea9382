"""Fourier transforms of real numbers."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    "theano._src.ops.linalg.fourier: IRFFTOp RFFTOp irfft irfft_op rfft rfft_op",
)
