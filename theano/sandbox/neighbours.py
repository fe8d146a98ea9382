"""Neighbourhoods of images, where older programs look for them."""

from theano.tensor.nnet.neighbours import Images2Neibs, images2neibs, neibs2images

__all__ = ["Images2Neibs", "images2neibs", "neibs2images"]
