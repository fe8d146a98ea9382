"""Convolution in two dimensions, in its older form."""

from theano._src.ops.conv.conv_legacy import ConvOp, conv2d

__all__ = [
    "ConvOp",
    "conv2d",
]
