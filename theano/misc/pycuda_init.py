"""PyCUDA: not used."""

from theano._src.engines.gpu import pycuda_available
from theano._src.ground.absent import absent_names

__getattr__ = absent_names(__name__)
