"""Signals: convolution and pooling."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano.tensor.signal: conv downsample pool")
