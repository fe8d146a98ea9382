"""Signals: convolution and pooling."""

from theano._src.ground.absent import absent_names
from theano.tensor.signal import conv, downsample, pool

__getattr__ = absent_names(__name__)
