"""Products with chosen blocks, where older programs look for them."""

from theano.tensor.nnet.blocksparse import *
