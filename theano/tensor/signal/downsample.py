"""Max pooling, where older programs look for it."""

from theano._src.ground.absent import absent_names
from theano._src.ops.pool_calls import DownsampleFactorMax, max_pool_2d, max_pool_2d_same_size

__getattr__ = absent_names(__name__)
