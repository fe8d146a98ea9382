"""What can be wrong with a gradient."""

from __future__ import annotations

from theano._src.ground.documented import documented_in
from theano._src.ground.errors import DisconnectedInputError

__all__ = ["DisconnectedInputError", "GradUndefinedError", "NullTypeGradError"]


@documented_in("theano.gradient")
class NullTypeGradError(TypeError):
    """A gradient was needed that is undefined, or that nobody has written."""


@documented_in("theano.gradient")
class GradUndefinedError(NullTypeGradError):
    """A gradient was needed that does not exist."""
