"""Pooling: that of theano.tensor.signal."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.conv import pool as _pool

GpuAveragePoolGrad = _pool.AveragePoolGrad
GpuMaxPoolGrad = _pool.MaxPoolGrad
GpuPool = _pool.Pool

__getattr__ = _module_getattr(__name__)
