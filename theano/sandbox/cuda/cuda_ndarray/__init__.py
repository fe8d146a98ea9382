"""Arrays on GPUs: there are none."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano.sandbox.cuda.cuda_ndarray import cuda_ndarray as cuda_ndarray

__getattr__ = _module_getattr(__name__)
