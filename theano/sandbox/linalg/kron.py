"""The Kronecker product, where older programs look for it."""

from theano._src.ops.factors import kron

__all__ = ["kron"]
