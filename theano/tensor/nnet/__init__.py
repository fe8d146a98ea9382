"""Neural networks."""

from theano._src.ground.absent import module_getattr
from theano.tensor.nnet import (
    Conv3D,
    ConvGrad3D,
    ConvTransp3D,
    abstract_conv,
    blocksparse,
    bn,
    conv,
    conv3d2d,
    corr,
    corr3d,
    ctc,
    neighbours,
    nnet,
    sigm,
)
from theano.tensor.nnet.abstract_conv import (
    bilinear_upsampling,
    causal_conv1d,
    conv2d,
    conv2d_grad_wrt_inputs,
    conv2d_grad_wrt_weights,
    conv2d_transpose,
    conv3d,
    conv3d_grad_wrt_inputs,
    conv3d_grad_wrt_weights,
    separable_conv2d,
    separable_conv3d,
)
from theano.tensor.nnet.blocksparse import sparse_block_dot
from theano.tensor.nnet.bn import batch_normalization
from theano.tensor.nnet.conv import ConvOp
from theano.tensor.nnet.nnet import *
from theano.tensor.nnet.sigm import (
    ScalarSigmoid,
    hard_sigmoid,
    scalar_sigmoid,
    sigmoid_inplace,
    ultra_fast_sigmoid,
)

__getattr__ = module_getattr(__name__)
