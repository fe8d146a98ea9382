"""PyCUDA: not used."""

from theano._src.engines.gpu import pycuda_available
from theano._src.ground.absent import module_getattr

__getattr__ = module_getattr(__name__)
