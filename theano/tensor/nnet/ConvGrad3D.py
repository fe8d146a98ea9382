"""The gradient of the filters of conv3D."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.conv.conv3d_legacy import convGrad3D as convGrad3D

__getattr__ = _module_getattr(__name__)
