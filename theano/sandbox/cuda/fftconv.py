"""Convolution by Fourier transforms: by convolution."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.legacy.cudnn import conv2d_fft as conv2d_fft

__getattr__ = _module_getattr(__name__)
