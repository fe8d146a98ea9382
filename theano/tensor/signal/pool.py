"""Pooling."""

from theano._src.ground.absent import module_getattr
from theano._src.ops.conv.pool import (
    AveragePoolGrad,
    DownsampleFactorMaxGradGrad,
    MaxPoolGrad,
    Pool,
    PoolGrad,
)
from theano._src.ops.conv.pool_functions import max_pool_2d_same_size, pool_2d, pool_3d

__getattr__ = module_getattr(__name__)
