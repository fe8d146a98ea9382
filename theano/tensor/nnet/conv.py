"""Convolution in two dimensions, in its older form."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.conv.conv_legacy import ConvOp as ConvOp, conv2d as conv2d

__getattr__ = _module_getattr(__name__)
