"""Tensor variables and their operators."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.graph.old_state: TensorConstantSignature=Leftover
    theano._src.ground.errors: AsTensorError
    theano._src.types.tensor: TensorConstant TensorVariable _tensor_py_operators
    """,
)
