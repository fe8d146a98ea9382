# Written by tools/stubs.py from abstract_conv.py: change that file.
from theano._src.ops.conv.conv import (
    AbstractConv as AbstractConv,
    AbstractConv2d as AbstractConv2d,
    AbstractConv2d_gradInputs as AbstractConv2d_gradInputs,
    AbstractConv2d_gradWeights as AbstractConv2d_gradWeights,
    AbstractConv3d as AbstractConv3d,
    AbstractConv3d_gradInputs as AbstractConv3d_gradInputs,
    AbstractConv3d_gradWeights as AbstractConv3d_gradWeights,
    AbstractConv_gradInputs as AbstractConv_gradInputs,
    AbstractConv_gradWeights as AbstractConv_gradWeights,
    BaseAbstractConv as BaseAbstractConv,
)
from theano._src.ops.conv.conv_derived import (
    bilinear_kernel_1D as bilinear_kernel_1D,
    bilinear_kernel_2D as bilinear_kernel_2D,
    bilinear_upsampling as bilinear_upsampling,
    causal_conv1d as causal_conv1d,
    frac_bilinear_upsampling as frac_bilinear_upsampling,
    separable_conv2d as separable_conv2d,
    separable_conv3d as separable_conv3d,
)
from theano._src.ops.conv.conv_functions import (
    conv2d as conv2d,
    conv2d_grad_wrt_inputs as conv2d_grad_wrt_inputs,
    conv2d_grad_wrt_weights as conv2d_grad_wrt_weights,
    conv2d_transpose as conv2d_transpose,
    conv3d as conv3d,
    conv3d_grad_wrt_inputs as conv3d_grad_wrt_inputs,
    conv3d_grad_wrt_weights as conv3d_grad_wrt_weights,
)
from theano._src.ops.conv.conv_shape import (
    assert_conv_shape as assert_conv_shape,
    border_mode_to_pad as border_mode_to_pad,
    check_conv_gradinputs_shape as check_conv_gradinputs_shape,
    get_conv_gradinputs_shape as get_conv_gradinputs_shape,
    get_conv_gradinputs_shape_1axis as get_conv_gradinputs_shape_1axis,
    get_conv_gradweights_shape as get_conv_gradweights_shape,
    get_conv_gradweights_shape_1axis as get_conv_gradweights_shape_1axis,
    get_conv_output_shape as get_conv_output_shape,
    get_conv_shape_1axis as get_conv_shape_1axis,
)
from theano._src.ops.meta.op_helpers import assert_shape as assert_shape
