"""The Type of missing gradients."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.types.null: NullType null_type")
