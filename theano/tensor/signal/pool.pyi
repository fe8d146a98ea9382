# Written by tools/stubs.py from pool.py: change that file.
from theano._src.ops.conv.pool import (
    AveragePoolGrad as AveragePoolGrad,
    DownsampleFactorMaxGradGrad as DownsampleFactorMaxGradGrad,
    MaxPoolGrad as MaxPoolGrad,
    Pool as Pool,
    PoolGrad as PoolGrad,
)
from theano._src.ops.conv.pool_functions import (
    max_pool_2d_same_size as max_pool_2d_same_size,
    pool_2d as pool_2d,
    pool_3d as pool_3d,
)
