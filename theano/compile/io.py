"""Inputs and outputs of functions."""

from theano._src.compile.io import (
    In as In,
    Out as Out,
    SymbolicInput as SymbolicInput,
    SymbolicOutput as SymbolicOutput,
)
