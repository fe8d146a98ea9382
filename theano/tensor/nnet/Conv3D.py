"""Convolution in three dimensions, with channels last."""

from theano._src.ops.conv_films import conv3D

__all__ = [
    "conv3D",
]
