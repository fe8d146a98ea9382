"""In-place ops: who overwrites what, and when that is allowed."""

from theano._src.graph.destroy import (
    DestroyHandler as DestroyHandler,
    fast_inplace_check as fast_inplace_check,
)
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
