"""The transpose of conv3D."""

from theano._src.ops.conv.conv3d_legacy import convTransp3D as convTransp3D
