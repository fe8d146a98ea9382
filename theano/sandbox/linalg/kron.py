"""The Kronecker product, where older programs look for it."""

from theano.tensor.slinalg import kron as kron
