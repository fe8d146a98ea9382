"""Convolution of plain images."""

from theano._src.ground.absent import absent_names
from theano._src.ops.conv_signal import conv2d

__all__ = [
    "conv2d",
]

__getattr__ = absent_names(__name__)
