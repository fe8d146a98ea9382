"""Neighbourhoods of images."""

from theano._src.ground.absent import module_getattr
from theano._src.ops.nnet.neighbours import Images2Neibs, images2neibs, neibs2images

__getattr__ = module_getattr(__name__)
