"""Types of values on GPUs: there are none."""

from theano._src.ground.absent import module_getattr
from theano._src.legacy.gpu import CudaNdarrayType

__getattr__ = module_getattr(__name__)
