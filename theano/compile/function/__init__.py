"""theano.function."""

from theano._src.compile.function import function as function, function_dump as function_dump
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
