"""Convolution in two dimensions, in its older form."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.ops.conv.conv_legacy: ConvOp conv2d")
