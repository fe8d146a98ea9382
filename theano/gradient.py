"""Gradients."""

from theano._src.compile.verify import GradientError, numeric_grad, verify_grad
from theano._src.control.jacobian import hessian, jacobian
from theano._src.grad.driver import format_as, grad
from theano._src.grad.errors import GradUndefinedError, NullTypeGradError
from theano._src.grad.products import (
    Lop,
    Rop,
    grad_sources_inputs,
    hessian_vector_product,
    subgraph_grad,
)
from theano._src.ground.absent import module_getattr
from theano._src.ground.errors import DisconnectedInputError
from theano._src.ops.meta.grad_views import (
    ConsiderConstant,
    DisconnectedGrad,
    GradClip,
    GradScale,
    UndefinedGrad,
    ZeroGrad,
    consider_constant,
    consider_constant_,
    disconnected_grad,
    disconnected_grad_,
    grad_clip,
    grad_scale,
    undefined_grad,
    undefined_grad_,
    zero_grad,
    zero_grad_,
)
from theano._src.types.null import (
    DisconnectedType,
    disconnected_type,
    grad_not_implemented,
    grad_undefined,
)

__getattr__ = module_getattr(__name__)
