"""The gradient of the filters of conv3D."""

from theano._src.ops.conv_films import convGrad3D

__all__ = [
    "convGrad3D",
]
