"""Neighbourhoods of images, where older programs look for them."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano.tensor.nnet.neighbours import (
    Images2Neibs as Images2Neibs,
    images2neibs as images2neibs,
    neibs2images as neibs2images,
)

__getattr__ = _module_getattr(__name__)
