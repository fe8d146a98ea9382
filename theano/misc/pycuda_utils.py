"""Arrays of PyCUDA: there are none."""

from theano._src.ground.absent import module_getattr
from theano._src.legacy.gpu import to_cudandarray, to_gpuarray

__getattr__ = module_getattr(__name__)
