"""Neural networks."""

from theano._src.ground.absent import absent_names
from theano.tensor.nnet import sigm
from theano.tensor.nnet.sigm import sigmoid, softplus

__getattr__ = absent_names(__name__)
