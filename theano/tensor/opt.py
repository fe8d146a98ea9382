"""Rewriting of tensor graphs."""

from theano._src.ops.join import MakeVector
from theano._src.ops.misc import Assert, assert_op

__all__ = [
    "Assert",
    "MakeVector",
    "assert_op",
]
