"""Convolution by Fourier transforms: by convolution."""

from theano._src.engines.cudnn import conv2d_fft
from theano._src.ground.absent import module_getattr

__getattr__ = module_getattr(__name__)
