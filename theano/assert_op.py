"""An op that checks conditions when a function runs."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.meta.misc import Assert as Assert, assert_op as assert_op

__getattr__ = _module_getattr(__name__)
