"""Ops that the compiler itself uses."""

from theano._src.ops.meta.c_registry import (
    register_deep_copy_op_c_code,
    register_rebroadcast_c_code,
    register_shape_c_code,
    register_shape_i_c_code,
    register_specify_shape_c_code,
    register_view_op_c_code,
)
from theano._src.ops.meta.misc import DeepCopyOp, OutputGuard, ViewOp, deep_copy_op, view_op
from theano._src.ops.meta.python_op import FromFunctionOp, as_op, load_back
from theano._src.ops.shape.dims import Rebroadcast
from theano._src.ops.shape.shape import (
    Shape,
    Shape_i,
    SpecifyShape,
    shape,
    shape_i,
    shape_i_op,
    specify_shape,
)

__all__ = [
    "DeepCopyOp",
    "FromFunctionOp",
    "OutputGuard",
    "Rebroadcast",
    "Shape",
    "Shape_i",
    "SpecifyShape",
    "ViewOp",
    "as_op",
    "deep_copy_op",
    "load_back",
    "register_deep_copy_op_c_code",
    "register_rebroadcast_c_code",
    "register_shape_c_code",
    "register_shape_i_c_code",
    "register_specify_shape_c_code",
    "register_view_op_c_code",
    "shape",
    "shape_i",
    "shape_i_op",
    "specify_shape",
    "view_op",
]
