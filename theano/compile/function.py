"""theano.function."""

from theano._src.compile.function import function, function_dump

__all__ = ["function", "function_dump"]
