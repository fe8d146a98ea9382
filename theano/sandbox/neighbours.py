"""Neighbourhoods of images, where older programs look for them."""

from theano.tensor.nnet.neighbours import (
    Images2Neibs as Images2Neibs,
    images2neibs as images2neibs,
    neibs2images as neibs2images,
)
