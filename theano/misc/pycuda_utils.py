"""Arrays of PyCUDA: there are none."""

from theano._src.engines.gpu import to_cudandarray, to_gpuarray
from theano._src.ground.absent import module_getattr

__getattr__ = module_getattr(__name__)
