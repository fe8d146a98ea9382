"""Shared variables that hold arrays."""

from theano._src.types.shared import (
    ScalarSharedVariable,
    TensorSharedVariable,
    scalar_constructor,
    tensor_constructor,
)

__all__ = [
    "ScalarSharedVariable",
    "TensorSharedVariable",
    "scalar_constructor",
    "tensor_constructor",
]
