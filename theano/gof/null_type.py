"""The Type of gradients that are not there."""

from theano._src.types.null import NullType, null_type

__all__ = ["NullType", "null_type"]
