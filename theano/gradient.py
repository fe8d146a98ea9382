"""Gradients, Jacobians, Hessians and their products with vectors, as expressions."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.compile.debug.verify: GradientError numeric_grad verify_grad
    theano._src.control.jacobian: hessian jacobian
    theano._src.grad.driver: format_as grad
    theano._src.grad.errors: GradNotImplementedError GradUndefinedError NullTypeGradError
    theano._src.grad.products: Lop Rop grad_sources_inputs hessian_vector_product subgraph_grad
    theano._src.ground.errors: DisconnectedInputError
    theano._src.ops.meta.grad_views: ConsiderConstant DisconnectedGrad GradClip GradScale
        UndefinedGrad ZeroGrad consider_constant consider_constant_ disconnected_grad
        disconnected_grad_ grad_clip grad_scale undefined_grad undefined_grad_ zero_grad
        zero_grad_
    theano._src.types.null: DisconnectedType disconnected_type grad_not_implemented
        grad_undefined
    """,
    "theano._src.control.sparsity.derivatives: sparse_hessian sparse_jacobian sparsity",
)
