"""Indexing."""

from theano._src.engines.gpu import GpuAdvancedSubtensor1
from theano._src.ground.absent import module_getattr

__getattr__ = module_getattr(__name__)
