"""Tensor variables and their operators."""

from theano._src.graph.old_state import Leftover as _Leftover
from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ground.errors import AsTensorError as AsTensorError
from theano._src.types.tensor import (
    TensorConstant as TensorConstant,
    TensorVariable as TensorVariable,
    _tensor_py_operators as _tensor_py_operators,
)

# pickles of Theano 1.0 name it
TensorConstantSignature = _Leftover

__getattr__ = _module_getattr(__name__)
