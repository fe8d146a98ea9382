"""Types of values on GPUs: there are none."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.legacy.gpu import CudaNdarrayType as CudaNdarrayType

__getattr__ = _module_getattr(__name__)
