"""Convolution by Fourier transforms: by convolution."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.legacy.cudnn: conv2d_fft")
