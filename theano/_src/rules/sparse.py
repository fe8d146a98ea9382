"""Rewrites of sparse ops; ``import theano.sparse`` registers them."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import is_elemwise
from theano._src.ops.elementwise.arithmetic import Add, Mul, Sub, add, mul, neg
from theano._src.ops.linalg.dot import Dot as TensorDot
from theano._src.ops.shape.alloc import alloc
from theano._src.ops.shape.dims import patternbroadcast
from theano._src.ops.shape.join import MakeVector
from theano._src.ops.shape.shape import shape_i
from theano._src.ops.shape.static_values import as_length
from theano._src.ops.sparse.base import is_sparse_variable
from theano._src.ops.sparse.convert import (
    DenseFromSparse,
    SparseFromDense,
    Transpose,
)
from theano._src.ops.sparse.csm import CSM, CSMProperties, SparseShape, lengths
from theano._src.ops.sparse.elementwise import AddSS, AddSSData
from theano._src.ops.sparse.products import Dot, StructuredDot, StructuredDotGrad, Usmm, usmm
from theano._src.ops.sparse.stored import (
    FromStored,
    LikeStored,
    StoredGrad,
    like_stored,
    stored_elements,
)
from theano._src.ops.sparse.stored_products import AddProduct, add_product, sampled_product
from theano._src.rewrite.passes import FunctionPass
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.inplace import overwriting
from theano._src.rules.pipeline import optdb
from theano._src.rules.products import is_zero
from theano._src.rules.register import register_canonicalize, register_specialize


def parts_of_csm(node: Apply) -> list[Any] | None:
    """csm_properties(CSM(data, indices, indptr, shape)) -> data, indices, indptr, shape"""
    x = node.inputs[0]
    return list(x.owner.inputs) if x.owner is not None and isinstance(x.owner.op, CSM) else None


def shape_of_sparse(node: Apply) -> list[Any] | None:
    """x.shape -> the shape that the op of x infers from its inputs"""
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
    (result,) = x.owner.inputs
    return [result] if result.type == node.outputs[0].type else None


def product_taken_away(node: Apply) -> list[Any] | None:
    """z - a * sparse.dot(x, y) -> usmm(-a, x, y, z), for numbers a"""
    z, taken = cast("tuple[Any, Any]", node.inputs)
    if z.type != node.outputs[0].type or not is_elemwise(taken.owner, Mul):
        return None
    results = [v for v in taken.owner.inputs if _is_product(v)]
    rest = [v for v in taken.owner.inputs if not _is_product(v)]
    if len(results) != 1 or not rest or not all(all(v.type.broadcastable) for v in rest):
        return None
    x, y = cast("Apply", results[0].owner).inputs
    if results[0].type.ndim != z.type.ndim or not z.type.ndim or len(results[0].clients) > 1:
        return None
    if len(taken.clients) > 1:
        return None
    number = neg(mul(*rest) if len(rest) > 1 else rest[0])
    result = usmm(number, x, y, z)
    return [result] if result.type == node.outputs[0].type else None


def _is_product(v: Any) -> bool:
    return v.owner is not None and isinstance(v.owner.op, Dot)


# products in terms of stored elements: in programs, and in loops


#: sums of more terms are left alone
_MANY_TERMS = 100


class _Elements(NamedTuple):
    """A sparse matrix as its stored elements, their rows and columns, and its shape."""

    data: Any
    rows: Any
    columns: Any
    shape: tuple[Any, Any]

    @property
    def T(self) -> _Elements:
        return _Elements(self.data, self.columns, self.rows, self.shape[::-1])


def _elements_of(x: Any, take: bool = False) -> _Elements | None:
    """Return the elements of a matrix built from stored elements, or of its transpose.

    For another matrix return None or, with ``take``, the elements from ``stored_elements``.
    """
    turned = False
    while x.owner is not None and isinstance(x.owner.op, Transpose):
        (x,), turned = x.owner.inputs, not turned
    if x.owner is not None and isinstance(x.owner.op, FromStored):
        parts = x.owner.inputs
    elif take and x.type.format != "bsr":
        parts = stored_elements(x)
    else:
        return None
    data, minor, major, _, shape = parts
    rows, columns = (major, minor) if x.type.format == "csr" else (minor, major)
    elements = _Elements(data, rows, columns, (shape[0], shape[1]))
    return elements.T if turned else elements


def product_by_elements(node: Apply) -> list[Any] | None:
    """sparse.dot(x, b), for x built from stored elements -> additions to rows, as tensors"""
    return _product(node, take=False)


def product_to_elements(node: Apply) -> list[Any] | None:
    """sparse.dot(x, b) -> additions to rows, for each stored element of x"""
    return _product(node, take=True)


def _product(node: Apply, take: bool) -> list[Any] | None:
    x, b = cast("tuple[Any, Any]", node.inputs)
    turned = is_sparse_variable(b)
    if turned == is_sparse_variable(x):
        return None
    elements = _elements_of(b if turned else x, take)
    if elements is None:
        return None
    if turned:
        elements, b = elements.T, (x.T if x.ndim == 2 else x)
    (out,) = node.outputs
    (m, n), dtype = elements.shape, out.type.dtype
    zeros = alloc(np.zeros((), dtype), m, *(shape_i(b, i) for i in range(1, b.ndim)))
    result = add_product(zeros, elements.data, elements.rows, elements.columns, b, n)
    result = result.T if turned and b.ndim == 2 else result
    return [patternbroadcast(result, out.type.broadcastable)]


def grad_by_elements(node: Apply) -> list[Any] | None:
    """The gradient of such a product at the stored positions -> products of rows, as tensors"""
    x, g = cast("tuple[Any, Any]", node.inputs)
    elements = _elements_of(x)
    result = None if elements is None else _at_elements(elements, g)
    return None if result is None else [result]


def _at_elements(x: _Elements, g: Any) -> Any:
    """Return the elements of ``g``, a sum of products, at the positions of ``x``; else None."""
    terms: list[Any] = []
    left = [(x, g)]
    while left:
        x, g = left.pop()
        node = g.owner
        if node is None or len(terms) > _MANY_TERMS:
            return None
        op = node.op
        if isinstance(op, Transpose) or (isinstance(op, DimShuffle) and op.new_order == (1, 0)):
            left.append((x.T, node.inputs[0]))
        elif is_elemwise(node, Add) or isinstance(op, AddSS | AddSSData):
            left.extend((x, v) for v in reversed(node.inputs))
        else:
            term = _product_at(x, node)
            if term is None:
                return None
            terms.append(term)
    return add(*terms) if len(terms) > 1 else terms[0]


def _product_at(x: _Elements, node: Apply) -> Any:
    """Return the elements of one product at the positions of ``x``, or None."""
    op, ins = node.op, cast("list[Any]", node.inputs)
    if isinstance(op, StructuredDotGrad | LikeStored):
        same = _elements_of(ins[0])
        if same is None or same.rows is not x.rows or same.columns is not x.columns:
            return None
        if isinstance(op, LikeStored):
            return ins[1]
        _, b, of_product = ins
        if is_sparse_variable(b) or is_sparse_variable(of_product):
            return None
        return sampled_product(of_product, x.rows, b, x.columns)
    if isinstance(op, TensorDot) and [v.type.ndim for v in ins] == [2, 2]:
        return sampled_product(ins[0], x.rows, ins[1].T, x.columns)
    if is_elemwise(node, Mul) and len(ins) == 2:
        by_row = [_vector_along(v, 0) for v in ins]
        by_column = [_vector_along(v, 1) for v in ins]
        for u, v in ((by_row[0], by_column[1]), (by_row[1], by_column[0])):
            if u is not None and v is not None:
                return sampled_product(u, x.rows, v, x.columns)
    return None


def _vector_along(v: Any, axis: int) -> Any:
    """Return the vector that a row or a column was made from, or None."""
    want = (0, "x") if axis == 0 else ("x", 0)
    result = v.owner is not None and isinstance(v.owner.op, DimShuffle)
    return v.owner.inputs[0] if result and v.owner.op.new_order == want else None


def grad_to_elements(node: Apply) -> list[Any] | None:
    """structured_dot_grad(a, b, g) -> products of rows, stored at the positions of a"""
    a, b, g = cast("tuple[Any, Any, Any]", node.inputs)
    if is_sparse_variable(b) or is_sparse_variable(g) or b.ndim != 2:
        return None
    if a.owner is not None and isinstance(a.owner.op, Transpose):
        return None
    elements = _elements_of(a, take=True)
    return (
        None
        if elements is None
        else [like_stored(a, sampled_product(g, elements.rows, b, elements.columns))]
    )


def product_taken_from_rows(node: Apply) -> list[Any] | None:
    """z - a * x.dot(b), where x.dot(b) is added to zeros -> the same added to z"""
    z, taken = cast("tuple[Any, Any]", node.inputs)
    if z.type != node.outputs[0].type:
        return None
    numbers: list[Any] = []
    if is_elemwise(taken.owner, Mul):
        numbers = [v for v in taken.owner.inputs if all(v.type.broadcastable)]
        rest = [v for v in taken.owner.inputs if not all(v.type.broadcastable)]
        if len(rest) != 1 or len(taken.clients) > 1:
            return None
        (taken,) = rest
    out = taken.owner
    if out is None or not isinstance(out.op, AddProduct) or len(taken.clients) > 1:
        return None
    start, data, *others = out.inputs
    if not is_zero(start) or taken.type != z.type:
        return None
    number = neg(mul(*numbers)) if numbers else None
    weighted = neg(data) if number is None else data * patternbroadcast(number.flatten(), (True,))
    result = add_product(z, weighted, *others)
    return [result] if result.type == node.outputs[0].type else None


local_csm_properties_csm = FunctionRule(
    parts_of_csm, "local_csm_properties_csm", "canonicalize", [CSMProperties]
)
local_sparse_shape = FunctionRule(
    shape_of_sparse, "local_sparse_shape", "canonicalize", [SparseShape]
)
local_dense_from_sparse_sparse_from_dense = FunctionRule(
    there_and_back, "local_dense_from_sparse_sparse_from_dense", "canonicalize", [DenseFromSparse]
)
sparse_product_by_elements = FunctionRule(
    product_by_elements, "sparse_product_by_elements", "canonicalize", [Dot, StructuredDot]
)
sparse_grad_by_elements = FunctionRule(
    grad_by_elements, "sparse_grad_by_elements", "canonicalize", [StoredGrad]
)
sparse_product_to_elements = FunctionRule(
    product_to_elements, "sparse_product_to_elements", "canonicalize", [Dot, StructuredDot]
)
sparse_grad_to_elements = FunctionRule(
    grad_to_elements, "sparse_grad_to_elements", "canonicalize", [StructuredDotGrad]
)
sparse_product_taken_from_rows = FunctionRule(
    product_taken_from_rows, "sparse_product_taken_from_rows", "specialize", [Sub]
)
local_usmm = FunctionRule(product_taken_away, "local_usmm", "specialize", [Sub])

for _rule in (
    local_csm_properties_csm,
    local_sparse_shape,
    local_dense_from_sparse_sparse_from_dense,
):
    register_canonicalize(_rule, "fast_compile")
for _rule in (sparse_product_by_elements, sparse_grad_by_elements):
    register_canonicalize(_rule)
# on the CPU, SciPy on the host takes half as long: these rules run only when requested
for _rule in (sparse_product_to_elements, sparse_grad_to_elements):
    register_canonicalize(_rule, "sparse_to_xla")
register_specialize(local_usmm)
register_specialize(sparse_product_taken_from_rows)
_overwrite = overwriting("local_inplace_sparse_products", Usmm, AddProduct)
optdb.register(
    "local_inplace_sparse_products",
    FunctionPass("local_inplace_sparse_products", _overwrite),
    60.0,
    "fast_run",
    "inplace",
)
