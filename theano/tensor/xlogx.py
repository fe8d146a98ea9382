"""x log x and x log y, 0 where x is 0."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    "theano._src.ops.elementwise.xlogx: XlogX XlogY0 scalar_xlogx scalar_xlogy0 xlogx xlogy0",
)
