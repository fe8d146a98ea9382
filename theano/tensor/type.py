"""TensorType."""

from theano._src.types.tensor import TensorType

__all__ = ["TensorType"]
