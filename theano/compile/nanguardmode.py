"""The mode that stops at NaN, infinity and big numbers."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    "theano._src.compile.debug.nan_guard: NanGuardMode contains_inf contains_nan flatten",
)
