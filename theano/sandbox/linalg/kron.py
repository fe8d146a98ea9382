"""The Kronecker product, where older programs look for it."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano.tensor.slinalg: kron")
