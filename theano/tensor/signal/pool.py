"""Pooling."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.conv.pool: AveragePoolGrad DownsampleFactorMaxGradGrad MaxPoolGrad Pool
        PoolGrad
    theano._src.ops.conv.pool_functions: max_pool_2d_same_size pool_2d pool_3d
    """,
)
