"""Convolution in three dimensions, with channels last."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.conv.conv3d_legacy import conv3D as conv3D

__getattr__ = _module_getattr(__name__)
