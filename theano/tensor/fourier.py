"""The complex Fourier transform of one dimension; ``theano.tensor.fft`` has the others."""

from theano._src.ops.linalg.fourier_legacy import Fourier as Fourier, fft as fft
