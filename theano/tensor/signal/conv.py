"""Convolution of plain images."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.ops.conv.conv_signal: conv2d")
