"""C code of ops and types, under the names of Theano-PyMC; theano.gof has the same."""

import typing as _typing

from theano._src.ground.absent import module_getattr as _module_getattr
from theano.link.c import basic as basic, exceptions as exceptions, interface as interface

if _typing.TYPE_CHECKING:
    from theano.link.c import cmodule as cmodule

# loaded when it is asked for: few programs touch the compiler
__getattr__ = _module_getattr(__name__, "theano.link.c: cmodule")
