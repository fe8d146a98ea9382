"""Max pooling, where older programs look for it."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    "theano._src.ops.conv.pool_functions: DownsampleFactorMax max_pool_2d max_pool_2d_same_size",
)
