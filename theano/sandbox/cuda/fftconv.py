"""Convolution by Fourier transforms: by convolution."""

from theano._src.ground.absent import module_getattr
from theano._src.legacy.cudnn import conv2d_fft

__getattr__ = module_getattr(__name__)
