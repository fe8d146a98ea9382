# Written by tools/stubs.py from __init__.py: change that file.
from theano.tensor.nnet import (
    Conv3D as Conv3D,
    ConvGrad3D as ConvGrad3D,
    ConvTransp3D as ConvTransp3D,
    abstract_conv as abstract_conv,
    blocksparse as blocksparse,
    bn as bn,
    conv as conv,
    conv3d2d as conv3d2d,
    corr as corr,
    corr3d as corr3d,
    ctc as ctc,
    neighbours as neighbours,
    nnet as nnet,
    sigm as sigm,
)
from theano.tensor.nnet.abstract_conv import (
    bilinear_upsampling as bilinear_upsampling,
    causal_conv1d as causal_conv1d,
    conv2d as conv2d,
    conv2d_grad_wrt_inputs as conv2d_grad_wrt_inputs,
    conv2d_grad_wrt_weights as conv2d_grad_wrt_weights,
    conv2d_transpose as conv2d_transpose,
    conv3d as conv3d,
    conv3d_grad_wrt_inputs as conv3d_grad_wrt_inputs,
    conv3d_grad_wrt_weights as conv3d_grad_wrt_weights,
    separable_conv2d as separable_conv2d,
    separable_conv3d as separable_conv3d,
)
from theano.tensor.nnet.blocksparse import sparse_block_dot as sparse_block_dot
from theano.tensor.nnet.bn import batch_normalization as batch_normalization
from theano.tensor.nnet.conv import ConvOp as ConvOp
from theano.tensor.nnet.nnet import *
from theano.tensor.nnet.sigm import (
    ScalarSigmoid as ScalarSigmoid,
    hard_sigmoid as hard_sigmoid,
    scalar_sigmoid as scalar_sigmoid,
    sigmoid_inplace as sigmoid_inplace,
    ultra_fast_sigmoid as ultra_fast_sigmoid,
)
