"""Convolution of plain images."""

from theano._src.ground.absent import module_getattr
from theano._src.ops.conv.conv_signal import conv2d

__all__ = [
    "conv2d",
]

__getattr__ = module_getattr(__name__)
