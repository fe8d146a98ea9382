"""Errors of the C++ compiler."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.c_code.compiler: MissingGXX")
