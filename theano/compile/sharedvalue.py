"""Shared variables."""

from theano._src.types.generic import generic
from theano._src.types.shared import (
    SharedVariable,
    constructors,
    generic_constructor,
    shared,
    shared_constructor,
)

__all__ = [
    "SharedVariable",
    "constructors",
    "generic",
    "generic_constructor",
    "shared",
    "shared_constructor",
]
