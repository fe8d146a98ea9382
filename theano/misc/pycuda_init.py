"""PyCUDA: not used."""

from theano._src.ground.absent import module_getattr
from theano._src.legacy.gpu import pycuda_available

__getattr__ = module_getattr(__name__)
