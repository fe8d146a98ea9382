"""Variables on GPUs: there are none."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.legacy.gpu import (
    CudaNdarrayConstant as CudaNdarrayConstant,
    CudaNdarraySharedVariable as CudaNdarraySharedVariable,
    CudaNdarrayVariable as CudaNdarrayVariable,
)
from theano._src.legacy.gpu_shared import float32_shared_constructor as float32_shared_constructor

__getattr__ = _module_getattr(__name__)
