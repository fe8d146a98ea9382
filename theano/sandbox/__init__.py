"""Modules of earlier versions, kept where programs import them from."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano.sandbox import cuda as cuda, gpuarray as gpuarray

__getattr__ = _module_getattr(__name__)
