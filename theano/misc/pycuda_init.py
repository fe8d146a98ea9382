"""PyCUDA: not used."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.legacy.gpu import pycuda_available as pycuda_available

__getattr__ = _module_getattr(__name__)
