"""Products with chosen blocks, where older programs look for them."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano.tensor.nnet.blocksparse import *

__getattr__ = _module_getattr(__name__)
