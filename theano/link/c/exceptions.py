"""Errors of the C++ compiler."""

from theano._src.c_code.compiler import MissingGXX as MissingGXX
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
