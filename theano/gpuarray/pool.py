"""Pooling: that of theano.tensor.signal."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.conv.pool: GpuAveragePoolGrad=AveragePoolGrad GpuMaxPoolGrad=MaxPoolGrad
        GpuPool=Pool
    """,
)
