"""What can be wrong with a gradient."""

from __future__ import annotations

from theano._src.ground.documented import documented_in
from theano._src.ground.errors import DisconnectedInputError

__all__ = [
    "DisconnectedInputError",
    "GradUndefinedError",
    "GradNotImplementedError",
    "NullTypeGradError",
]


@documented_in("theano.gradient")
class NullTypeGradError(TypeError):
    """A gradient was needed that is undefined, or that nobody has written."""


@documented_in("theano.gradient")
class GradNotImplementedError(NullTypeGradError, NotImplementedError):
    """A gradient was needed that ``grad_not_implemented`` says nobody has written.

    The documents promise a NotImplementedError; Theano 1.0.5 raised a NullTypeGradError.
    """


@documented_in("theano.gradient")
class GradUndefinedError(NullTypeGradError):
    """A gradient was needed that does not exist."""
