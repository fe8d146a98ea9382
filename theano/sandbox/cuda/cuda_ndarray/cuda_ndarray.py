"""Arrays on GPUs: there are none."""

from theano._src.ground.absent import module_getattr
from theano._src.legacy.gpu import CudaNdarray, device_properties, mem_info

__getattr__ = module_getattr(__name__)
