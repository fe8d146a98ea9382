"""Variables on GPUs: there are none."""

from theano._src.engines.gpu import (
    CudaNdarrayConstant,
    CudaNdarraySharedVariable,
    CudaNdarrayVariable,
    float32_shared_constructor,
)
from theano._src.ground.absent import module_getattr

__getattr__ = module_getattr(__name__)
