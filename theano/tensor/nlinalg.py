"""Linear algebra."""

from theano._src.ops.diagonal import trace

__all__ = [
    "trace",
]
