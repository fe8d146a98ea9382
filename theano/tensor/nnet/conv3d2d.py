"""Convolution of films."""

from theano._src.ops.conv_films import conv3d

__all__ = [
    "conv3d",
]
