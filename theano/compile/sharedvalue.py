"""Shared variables."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.types.generic: generic
    theano._src.types.shared: Cell SharedVariable constructors
    theano._src.types.shared_constructors: generic_constructor shared shared_constructor
    """,
)
