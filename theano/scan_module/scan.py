"""The general loop."""

from theano._src.control.scan import scan

__all__ = ["scan"]
