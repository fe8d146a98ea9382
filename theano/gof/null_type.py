"""The Type of gradients that are not there."""

from theano._src.types.null import NullType as NullType, null_type as null_type
