"""Shared variables that hold arrays."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.types.shared: ScalarSharedVariable SharedVariable TensorSharedVariable
    theano._src.types.shared_constructors: scalar_constructor shared shared_constructor
        tensor_constructor
    """,
)
