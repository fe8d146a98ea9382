"""Errors about gradients."""

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
    """Raised if a needed gradient is undefined or not implemented."""


@documented_in("theano.gradient")
class GradNotImplementedError(NullTypeGradError, NotImplementedError):
    """Raised if a needed gradient comes from ``grad_not_implemented``.

    The documentation promises a NotImplementedError; Theano 1.0.5 raised a NullTypeGradError.
    """


@documented_in("theano.gradient")
class GradUndefinedError(NullTypeGradError):
    """Raised if a needed gradient does not exist mathematically."""
