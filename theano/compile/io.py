"""Inputs and outputs of functions."""

from theano._src.compile.io import In, Out, SymbolicInput, SymbolicOutput

__all__ = ["In", "Out", "SymbolicInput", "SymbolicOutput"]
