"""In-place ops: who overwrites what, and when that is allowed."""

from theano._src.graph.destroy import (
    DestroyHandler as DestroyHandler,
    fast_inplace_check as fast_inplace_check,
)
