"""Shared variables that hold arrays."""

from theano._src.types.shared import ScalarSharedVariable, SharedVariable, TensorSharedVariable
from theano._src.types.shared_constructors import (
    scalar_constructor,
    shared,
    shared_constructor,
    tensor_constructor,
)

__all__ = [
    "ScalarSharedVariable",
    "SharedVariable",
    "TensorSharedVariable",
    "scalar_constructor",
    "shared",
    "shared_constructor",
    "tensor_constructor",
]
