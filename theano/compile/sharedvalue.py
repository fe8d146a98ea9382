"""Shared variables."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.types.generic import generic as generic
from theano._src.types.shared import (
    Cell as Cell,
    SharedVariable as SharedVariable,
    constructors as constructors,
)
from theano._src.types.shared_constructors import (
    generic_constructor as generic_constructor,
    shared as shared,
    shared_constructor as shared_constructor,
)

__getattr__ = _module_getattr(__name__)
