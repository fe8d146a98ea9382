"""Arrays on GPUs: there are none."""

from theano._src.engines.gpu import CudaNdarray, device_properties, mem_info
from theano._src.ground.absent import module_getattr

__getattr__ = module_getattr(__name__)
