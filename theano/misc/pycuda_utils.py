"""Arrays of PyCUDA: there are none."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.legacy.gpu import to_cudandarray as to_cudandarray, to_gpuarray as to_gpuarray

__getattr__ = _module_getattr(__name__)
