"""Inputs and outputs of functions."""

from theano._src.compile.io import (
    In as In,
    Out as Out,
    SymbolicInput as SymbolicInput,
    SymbolicOutput as SymbolicOutput,
)
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
