"""Max pooling, where older programs look for it."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.conv.pool_functions import (
    DownsampleFactorMax as DownsampleFactorMax,
    max_pool_2d as max_pool_2d,
    max_pool_2d_same_size as max_pool_2d_same_size,
)

__getattr__ = _module_getattr(__name__)
