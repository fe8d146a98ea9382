"""Doors that stood apart: kept where programs look for them."""

from theano._src.ground.absent import module_getattr
from theano.sandbox import cuda, gpuarray

__getattr__ = module_getattr(__name__)
