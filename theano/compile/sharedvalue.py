"""Shared variables."""

from theano._src.types.shared import (
    SharedVariable,
    constructors,
    shared,
    shared_constructor,
)
from theano._src.types.shared import (
    generic_constructor as generic,
)

__all__ = ["SharedVariable", "constructors", "generic", "shared", "shared_constructor"]
