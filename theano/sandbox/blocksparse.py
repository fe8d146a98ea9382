"""Products with chosen blocks, where older programs look for them."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano.tensor.nnet.blocksparse: *")
