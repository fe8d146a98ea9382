"""Types of values on GPUs: there are none."""

from theano._src.engines.gpu import CudaNdarrayType
from theano._src.ground.absent import module_getattr

__getattr__ = module_getattr(__name__)
