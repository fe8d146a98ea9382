"""Indexing."""

from theano._src.graph.c_op import HideC as HideC
from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.legacy.gpu import GpuAdvancedSubtensor1 as GpuAdvancedSubtensor1

__getattr__ = _module_getattr(__name__)
