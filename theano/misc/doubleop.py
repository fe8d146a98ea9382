"""An op that doubles: the example of the documentation."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.ops.meta.misc: DoubleOp")
