"""Neural networks."""

from theano._src.ground.absent import absent_names
from theano.tensor.nnet import bn, nnet, sigm
from theano.tensor.nnet.bn import batch_normalization
from theano.tensor.nnet.nnet import *
from theano.tensor.nnet.sigm import (
    ScalarSigmoid,
    hard_sigmoid,
    scalar_sigmoid,
    sigmoid_inplace,
    ultra_fast_sigmoid,
)

__getattr__ = absent_names(__name__)
