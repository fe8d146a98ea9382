"""The complex Fourier transform of one dimension; ``theano.tensor.fft`` has the others."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.linalg.fourier_legacy import Fourier as Fourier, fft as fft

__getattr__ = _module_getattr(__name__)
