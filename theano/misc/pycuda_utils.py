"""Arrays of PyCUDA: there are none."""

from theano._src.engines.gpu import to_cudandarray, to_gpuarray
from theano._src.ground.absent import absent_names

__getattr__ = absent_names(__name__)
