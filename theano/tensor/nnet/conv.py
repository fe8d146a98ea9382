"""Convolution in two dimensions, in its older form."""

from theano._src.ops.conv.conv_legacy import ConvOp as ConvOp, conv2d as conv2d
