"""The Type of gradients that are not there."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.types.null import NullType as NullType, null_type as null_type

__getattr__ = _module_getattr(__name__)
