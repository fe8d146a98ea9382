"""Ops that the compiler itself uses."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.meta.c_registry: register_deep_copy_op_c_code register_rebroadcast_c_code
        register_shape_c_code register_shape_i_c_code register_specify_shape_c_code
        register_view_op_c_code
    theano._src.ops.meta.misc: DeepCopyOp OutputGuard ViewOp deep_copy_op view_op
    theano._src.ops.meta.python_op: FromFunctionOp as_op load_back
    theano._src.ops.shape.dims: Rebroadcast
    theano._src.ops.shape.shape: Shape Shape_i SpecifyShape shape shape_i shape_i_op
        specify_shape
    """,
)
