"""Arrays on GPUs: there are none."""

from theano._src.ground.absent import absent_names
from theano.sandbox.cuda.cuda_ndarray import cuda_ndarray

__getattr__ = absent_names(__name__)
