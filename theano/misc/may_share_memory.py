"""Whether two values may be parts of one piece of memory."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.types.memory: may_share_memory")
