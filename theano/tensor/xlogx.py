"""x log x and x log y, 0 where x is 0."""

from theano._src.ops.elementwise.xlogx import (
    XlogX,
    XlogY0,
    scalar_xlogx,
    scalar_xlogy0,
    xlogx,
    xlogy0,
)

__all__ = ["XlogX", "XlogY0", "scalar_xlogx", "scalar_xlogy0", "xlogx", "xlogy0"]
