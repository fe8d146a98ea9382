# Written by tools/stubs.py from downsample.py: change that file.
from theano._src.ops.conv.pool_functions import (
    DownsampleFactorMax as DownsampleFactorMax,
    max_pool_2d as max_pool_2d,
    max_pool_2d_same_size as max_pool_2d_same_size,
)
