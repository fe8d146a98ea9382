"""The transpose of conv3D."""

from theano._src.ops.conv_films import convTransp3D

__all__ = [
    "convTransp3D",
]
