"""Indexing."""

from theano._src.ground.absent import module_getattr
from theano._src.legacy.gpu import GpuAdvancedSubtensor1

__getattr__ = module_getattr(__name__)
