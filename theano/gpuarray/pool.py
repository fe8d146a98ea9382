"""Pooling: that of theano.tensor.signal."""

from theano._src.ground.absent import module_getattr
from theano._src.ops.conv.pool import AveragePoolGrad as GpuAveragePoolGrad
from theano._src.ops.conv.pool import MaxPoolGrad as GpuMaxPoolGrad
from theano._src.ops.conv.pool import Pool as GpuPool

__getattr__ = module_getattr(__name__)
