"""The op behind loops."""

from theano._src.control.loop import Scan

__all__ = ["Scan"]
