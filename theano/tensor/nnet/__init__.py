"""Neural networks."""

from theano._src.ground.absent import absent_names
from theano.tensor.nnet import nnet, sigm
from theano.tensor.nnet.nnet import (
    LogSoftmax,
    Softmax,
    SoftmaxGrad,
    logsoftmax,
    logsoftmax_op,
    softmax,
    softmax_grad,
    softmax_op,
)
from theano.tensor.nnet.sigm import sigmoid, softplus

__getattr__ = absent_names(__name__)
