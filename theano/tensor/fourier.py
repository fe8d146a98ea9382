"""The complex Fourier transform of one dimension; ``theano.tensor.fft`` has the others."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.ops.linalg.fourier_legacy: Fourier fft")
