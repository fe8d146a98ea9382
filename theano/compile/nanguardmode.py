"""The mode that stops at NaN, infinity and big numbers."""

from theano._src.compile.debug.nan_guard import (
    NanGuardMode as NanGuardMode,
    contains_inf as contains_inf,
    contains_nan as contains_nan,
    flatten as flatten,
)
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
