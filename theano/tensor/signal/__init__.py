"""Signals: convolution and pooling."""

from theano._src.ground.absent import module_getattr
from theano.tensor.signal import conv, downsample, pool

__getattr__ = module_getattr(__name__)
