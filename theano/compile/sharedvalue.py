"""Shared variables."""

from theano._src.types.generic import generic
from theano._src.types.shared import SharedVariable, constructors
from theano._src.types.shared_constructors import generic_constructor, shared, shared_constructor

__all__ = [
    "SharedVariable",
    "constructors",
    "generic",
    "generic_constructor",
    "shared",
    "shared_constructor",
]
