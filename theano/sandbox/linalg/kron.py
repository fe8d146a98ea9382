"""The Kronecker product, where older programs look for it."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano.tensor.slinalg import kron as kron

__getattr__ = _module_getattr(__name__)
