# Written by tools/stubs.py from fft.py: change that file.
from theano._src.ops.linalg.fourier import (
    IRFFTOp as IRFFTOp,
    RFFTOp as RFFTOp,
    irfft as irfft,
    irfft_op as irfft_op,
    rfft as rfft,
    rfft_op as rfft_op,
)
