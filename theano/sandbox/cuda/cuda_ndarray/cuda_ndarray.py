"""Arrays on GPUs: there are none."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.legacy.gpu import (
    CudaNdarray as CudaNdarray,
    device_properties as device_properties,
    mem_info as mem_info,
)

__getattr__ = _module_getattr(__name__)
