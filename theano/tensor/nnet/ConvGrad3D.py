"""The gradient of the filters of conv3D."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.ops.conv.conv3d_legacy: convGrad3D")
