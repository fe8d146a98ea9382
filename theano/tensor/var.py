"""Tensor variables and their operators."""

from theano._src.ground.errors import AsTensorError
from theano._src.types.tensor import TensorConstant, TensorVariable, _tensor_py_operators

__all__ = ["AsTensorError", "TensorConstant", "TensorVariable", "_tensor_py_operators"]
