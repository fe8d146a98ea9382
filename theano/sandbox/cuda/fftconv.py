"""Convolution by Fourier transforms: by convolution."""

from theano._src.engines.cudnn import conv2d_fft
from theano._src.ground.absent import absent_names

__getattr__ = absent_names(__name__)
