"""Signals: convolution and pooling."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano.tensor.signal import conv as conv, downsample as downsample, pool as pool

__getattr__ = _module_getattr(__name__)
