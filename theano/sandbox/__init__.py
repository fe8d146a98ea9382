"""Doors that stood apart: kept where programs look for them."""

from theano._src.ground.absent import absent_names
from theano.sandbox import cuda, gpuarray

__getattr__ = absent_names(__name__)
