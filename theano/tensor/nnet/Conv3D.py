"""Convolution in three dimensions, with channels last."""

from theano._src.ops.conv.conv3d_legacy import conv3D as conv3D
