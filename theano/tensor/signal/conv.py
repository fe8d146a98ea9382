"""Convolution of plain images."""

from theano._src.ops.conv_signal import conv2d

__all__ = [
    "conv2d",
]
