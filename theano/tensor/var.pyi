# Written by tools/stubs.py from var.py: change that file.
from theano._src.graph.old_state import Leftover as _Leftover
from theano._src.ground.errors import AsTensorError as AsTensorError
from theano._src.types.tensor import (
    TensorConstant as TensorConstant,
    TensorVariable as TensorVariable,
    _tensor_py_operators as _tensor_py_operators,
)

TensorConstantSignature = _Leftover
