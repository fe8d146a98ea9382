"""Face: profiles of functions."""

from theano._src.compile.profiling import ProfileStats

__all__ = ["ProfileStats"]
