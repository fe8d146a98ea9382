"""Rewrites of sparse ops; ``import theano.sparse`` registers them."""

from __future__ import annotations

from typing import Any, cast

from theano._src.graph.graph import Apply
from theano._src.ops.core.elemwise import is_elemwise
from theano._src.ops.elementwise.arithmetic import Mul, Sub, mul, neg
from theano._src.ops.shape.join import MakeVector
from theano._src.ops.shape.shape import shape_i
from theano._src.ops.shape.static_values import as_length
from theano._src.ops.sparse.base import is_sparse_variable
from theano._src.ops.sparse.convert import DenseFromSparse, SparseFromDense
from theano._src.ops.sparse.csm import CSM, CSMProperties, SparseShape, lengths
from theano._src.ops.sparse.products import Dot, usmm
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.register import register_canonicalize, register_specialize


def parts_of_csm(node: Apply) -> list[Any] | None:
    """csm_properties(CSM(data, indices, indptr, shape)) -> data, indices, indptr, shape"""
    x = node.inputs[0]
    return list(x.owner.inputs) if x.owner is not None and isinstance(x.owner.op, CSM) else None


def shape_of_sparse(node: Apply) -> list[Any] | None:
    """x.shape -> what the op that makes x infers of its inputs"""
    x = node.inputs[0]
    infer = getattr(x.owner.op, "infer_shape", None) if x.owner is not None else None
    if x.owner is None or infer is None:
        return None
    shapes = [
        lengths(v)
        if is_sparse_variable(v)
        else tuple(shape_i(v, i) for i in range(getattr(v.type, "ndim", 0)))
        for v in x.owner.inputs
    ]
    return [MakeVector("int64")(*map(as_length, infer(x.owner, shapes)[x.index]))]


def there_and_back(node: Apply) -> list[Any] | None:
    """dense_from_sparse(sparse_from_dense(x)) -> x"""
    x = node.inputs[0]
    if x.owner is None or not isinstance(x.owner.op, SparseFromDense):
        return None
    (found,) = x.owner.inputs
    return [found] if found.type == node.outputs[0].type else None


def product_taken_away(node: Apply) -> list[Any] | None:
    """z - a * sparse.dot(x, y) -> usmm(-a, x, y, z), for numbers a"""
    z, taken = cast("tuple[Any, Any]", node.inputs)
    if z.type != node.outputs[0].type or not is_elemwise(taken.owner, Mul):
        return None
    found = [v for v in taken.owner.inputs if _is_product(v)]
    rest = [v for v in taken.owner.inputs if not _is_product(v)]
    if len(found) != 1 or not rest or not all(all(v.type.broadcastable) for v in rest):
        return None
    x, y = cast("Apply", found[0].owner).inputs
    if {getattr(v, "ndim", 0) for v in (x, y)} != {2} or len(found[0].clients) > 1:
        return None
    if len(taken.clients) > 1:
        return None
    number = neg(mul(*rest) if len(rest) > 1 else rest[0])
    made = usmm(number, x, y, z)
    return [made] if made.type == node.outputs[0].type else None


def _is_product(v: Any) -> bool:
    return v.owner is not None and isinstance(v.owner.op, Dot)


local_csm_properties_csm = FunctionRule(
    parts_of_csm, "local_csm_properties_csm", "canonicalize", [CSMProperties]
)
local_sparse_shape = FunctionRule(
    shape_of_sparse, "local_sparse_shape", "canonicalize", [SparseShape]
)
local_dense_from_sparse_sparse_from_dense = FunctionRule(
    there_and_back, "local_dense_from_sparse_sparse_from_dense", "canonicalize", [DenseFromSparse]
)
local_usmm = FunctionRule(product_taken_away, "local_usmm", "specialize", [Sub])

for _rule in (
    local_csm_properties_csm,
    local_sparse_shape,
    local_dense_from_sparse_sparse_from_dense,
):
    register_canonicalize(_rule, "fast_compile")
register_specialize(local_usmm)
