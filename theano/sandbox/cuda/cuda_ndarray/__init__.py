"""Arrays on GPUs: there are none."""

from theano._src.ground.absent import module_getattr
from theano.sandbox.cuda.cuda_ndarray import cuda_ndarray

__getattr__ = module_getattr(__name__)
