"""Convolution in three dimensions, with channels last."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.ops.conv.conv3d_legacy: conv3D")
