"""Neighbourhoods of images."""

from theano._src.ground.absent import absent_names
from theano._src.ops.neighbours import Images2Neibs, images2neibs, neibs2images

__getattr__ = absent_names(__name__)
