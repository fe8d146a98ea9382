"""Rewriting of tensor graphs."""

from theano._src.ground.errors import NotScalarConstantError
from theano._src.ops.join import MakeVector, make_vector
from theano._src.ops.known import get_scalar_constant_value
from theano._src.ops.misc import Assert, assert_op
from theano._src.ops.shape import Shape, Shape_i
from theano._src.rewrite.navigate import in2out, out2in
from theano._src.rules.register import (
    register_canonicalize,
    register_specialize,
    register_specialize_device,
    register_stabilize,
    register_uncanonicalize,
    register_useless,
)
from theano._src.rules.shape import ShapeFeature

__all__ = [
    "Assert",
    "MakeVector",
    "NotScalarConstantError",
    "Shape",
    "ShapeFeature",
    "Shape_i",
    "assert_op",
    "get_scalar_constant_value",
    "in2out",
    "make_vector",
    "out2in",
    "register_canonicalize",
    "register_specialize",
    "register_specialize_device",
    "register_stabilize",
    "register_uncanonicalize",
    "register_useless",
]
