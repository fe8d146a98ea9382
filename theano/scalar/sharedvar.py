"""Shared variables that hold one number."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.types import shared_number as _shared_number
from theano._src.types.shared_number import ScalarSharedVariable as ScalarSharedVariable

shared = _shared_number.shared_number

__getattr__ = _module_getattr(__name__)
