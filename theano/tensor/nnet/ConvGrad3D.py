"""The gradient of the filters of conv3D."""

from theano._src.ops.conv.conv3d_legacy import convGrad3D as convGrad3D
