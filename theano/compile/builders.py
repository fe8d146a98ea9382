"""Ops made from graphs."""

from theano._src.control.opfromgraph import OpFromGraph

__all__ = ["OpFromGraph"]
