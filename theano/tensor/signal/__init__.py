"""Signals: convolution and pooling."""

from theano._src.ground.absent import absent_names

__getattr__ = absent_names(__name__)
