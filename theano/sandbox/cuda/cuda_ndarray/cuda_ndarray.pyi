# Written by tools/stubs.py from cuda_ndarray.py: change that file.
from theano._src.legacy.gpu import (
    CudaNdarray as CudaNdarray,
    device_properties as device_properties,
    mem_info as mem_info,
)
