"""Variables on GPUs: there are none."""

from theano._src.engines.gpu import (
    CudaNdarrayConstant,
    CudaNdarraySharedVariable,
    CudaNdarrayVariable,
    float32_shared_constructor,
)
from theano._src.ground.absent import absent_names

__getattr__ = absent_names(__name__)
