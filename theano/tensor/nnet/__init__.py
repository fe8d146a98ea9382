"""Neural networks: activations, costs, convolution, batch normalization."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano.tensor.nnet: Conv3D ConvGrad3D ConvTransp3D abstract_conv blocksparse bn conv
        conv3d2d corr corr3d ctc neighbours nnet sigm
    theano.tensor.nnet.abstract_conv: bilinear_upsampling causal_conv1d conv2d
        conv2d_grad_wrt_inputs conv2d_grad_wrt_weights conv2d_transpose conv3d
        conv3d_grad_wrt_inputs conv3d_grad_wrt_weights separable_conv2d separable_conv3d
    theano.tensor.nnet.blocksparse: sparse_block_dot
    theano.tensor.nnet.bn: batch_normalization
    theano.tensor.nnet.conv: ConvOp
    theano.tensor.nnet.nnet: *
    theano.tensor.nnet.sigm: ScalarSigmoid hard_sigmoid scalar_sigmoid sigmoid_inplace
        ultra_fast_sigmoid
    """,
)
