"""Arrays on GPUs: there are none."""

from theano._src.engines.gpu import CudaNdarray, device_properties, mem_info
from theano._src.ground.absent import absent_names

__getattr__ = absent_names(__name__)
