# Written by tools/stubs.py from gradient.py: change that file.
from theano._src.compile.debug.verify import (
    GradientError as GradientError,
    numeric_grad as numeric_grad,
    verify_grad as verify_grad,
)
from theano._src.control.jacobian import hessian as hessian, jacobian as jacobian
from theano._src.grad.driver import format_as as format_as, grad as grad
from theano._src.grad.errors import (
    GradNotImplementedError as GradNotImplementedError,
    GradUndefinedError as GradUndefinedError,
    NullTypeGradError as NullTypeGradError,
)
from theano._src.grad.products import (
    Lop as Lop,
    Rop as Rop,
    grad_sources_inputs as grad_sources_inputs,
    hessian_vector_product as hessian_vector_product,
    subgraph_grad as subgraph_grad,
)
from theano._src.ground.errors import DisconnectedInputError as DisconnectedInputError
from theano._src.ops.meta.grad_views import (
    ConsiderConstant as ConsiderConstant,
    DisconnectedGrad as DisconnectedGrad,
    GradClip as GradClip,
    GradScale as GradScale,
    UndefinedGrad as UndefinedGrad,
    ZeroGrad as ZeroGrad,
    consider_constant as consider_constant,
    consider_constant_ as consider_constant_,
    disconnected_grad as disconnected_grad,
    disconnected_grad_ as disconnected_grad_,
    grad_clip as grad_clip,
    grad_scale as grad_scale,
    undefined_grad as undefined_grad,
    undefined_grad_ as undefined_grad_,
    zero_grad as zero_grad,
    zero_grad_ as zero_grad_,
)
from theano._src.types.null import (
    DisconnectedType as DisconnectedType,
    disconnected_type as disconnected_type,
    grad_not_implemented as grad_not_implemented,
    grad_undefined as grad_undefined,
)
from theano._src.control.sparsity.derivatives import (
    sparse_hessian as sparse_hessian,
    sparse_jacobian as sparse_jacobian,
    sparsity as sparsity,
)
