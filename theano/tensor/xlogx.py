"""x log x and x log y, 0 where x is 0."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.elementwise.xlogx import (
    XlogX as XlogX,
    XlogY0 as XlogY0,
    scalar_xlogx as scalar_xlogx,
    scalar_xlogy0 as scalar_xlogy0,
    xlogx as xlogx,
    xlogy0 as xlogy0,
)

__getattr__ = _module_getattr(__name__)
