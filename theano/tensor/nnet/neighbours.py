"""Neighbourhoods of images."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    "theano._src.ops.nnet.neighbours: Images2Neibs images2neibs neibs2images",
)
