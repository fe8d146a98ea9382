"""In-place ops: who overwrites what, and when that is allowed."""

from theano._src.graph.destroy import DestroyHandler, fast_inplace_check

__all__ = ["DestroyHandler", "fast_inplace_check"]
