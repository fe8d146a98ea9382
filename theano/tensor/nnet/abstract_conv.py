"""Convolution: its ops, the functions made of them, and their shapes."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.conv.conv: AbstractConv AbstractConv2d AbstractConv2d_gradInputs
        AbstractConv2d_gradWeights AbstractConv3d AbstractConv3d_gradInputs
        AbstractConv3d_gradWeights AbstractConv_gradInputs AbstractConv_gradWeights
        BaseAbstractConv
    theano._src.ops.conv.conv_derived: bilinear_kernel_1D bilinear_kernel_2D bilinear_upsampling
        causal_conv1d frac_bilinear_upsampling separable_conv2d separable_conv3d
    theano._src.ops.conv.conv_functions: conv2d conv2d_grad_wrt_inputs conv2d_grad_wrt_weights
        conv2d_transpose conv3d conv3d_grad_wrt_inputs conv3d_grad_wrt_weights
    theano._src.ops.conv.conv_shape: assert_conv_shape border_mode_to_pad
        check_conv_gradinputs_shape get_conv_gradinputs_shape get_conv_gradinputs_shape_1axis
        get_conv_gradweights_shape get_conv_gradweights_shape_1axis get_conv_output_shape
        get_conv_shape_1axis
    theano._src.ops.meta.op_helpers: assert_shape
    """,
)
