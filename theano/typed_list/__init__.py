"""Lists of values of one type, as values of a graph."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.typed_list import operators as _operators
from theano.typed_list import basic as basic, opt as opt, type as type
from theano.typed_list.basic import *
from theano.typed_list.type import TypedListType as TypedListType

__getattr__ = _module_getattr(__name__)
