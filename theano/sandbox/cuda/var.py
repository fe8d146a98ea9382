"""Variables on GPUs: there are none."""

from theano._src.ground.absent import module_getattr
from theano._src.legacy.gpu import (
    CudaNdarrayConstant,
    CudaNdarraySharedVariable,
    CudaNdarrayVariable,
)
from theano._src.legacy.gpu_shared import float32_shared_constructor

__getattr__ = module_getattr(__name__)
