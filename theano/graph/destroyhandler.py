"""In-place ops: who overwrites what, and when that is allowed."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.graph.destroy: DestroyHandler fast_inplace_check")
