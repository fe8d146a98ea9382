"""Neighbourhoods of images, where older programs look for them."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    "theano.tensor.nnet.neighbours: Images2Neibs images2neibs neibs2images",
)
