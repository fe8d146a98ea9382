"""Helpers for tests of sparse ops."""

from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
