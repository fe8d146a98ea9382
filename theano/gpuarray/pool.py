"""Pooling: that of theano.tensor.signal."""

from theano._src.ground.absent import module_getattr
from theano._src.ops.conv.pool import (
    AveragePoolGrad as GpuAveragePoolGrad,
    MaxPoolGrad as GpuMaxPoolGrad,
    Pool as GpuPool,
)

__getattr__ = module_getattr(__name__)
