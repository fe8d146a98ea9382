"""Pooling: that of theano.tensor.signal."""

from theano._src.ground.absent import absent_names
from theano._src.ops.pool import AveragePoolGrad as GpuAveragePoolGrad
from theano._src.ops.pool import MaxPoolGrad as GpuMaxPoolGrad
from theano._src.ops.pool import Pool as GpuPool

__getattr__ = absent_names(__name__)
