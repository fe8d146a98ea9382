"""Gradients."""

from theano._src.grad.driver import format_as, grad
from theano._src.grad.errors import GradUndefinedError, NullTypeGradError
from theano._src.ground.errors import DisconnectedInputError
from theano._src.types.nothing import DisconnectedType, grad_not_implemented, grad_undefined

__all__ = [
    "DisconnectedInputError",
    "DisconnectedType",
    "GradUndefinedError",
    "NullTypeGradError",
    "format_as",
    "grad",
    "grad_not_implemented",
    "grad_undefined",
]
