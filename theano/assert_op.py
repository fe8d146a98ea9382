"""An op that checks conditions when a function runs."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.ops.meta.misc: Assert assert_op")
