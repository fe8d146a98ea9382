"""What steps of loops return."""

from theano._src.control.scan import until

__all__ = ["until"]
