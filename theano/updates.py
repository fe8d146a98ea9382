"""New values for shared variables."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.types.updates import OrderedUpdates as OrderedUpdates

__getattr__ = _module_getattr(__name__)
