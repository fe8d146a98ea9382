"""Determinants and their logarithms, by the form of the matrix."""

from __future__ import annotations

from typing import Any

from theano._src.graph.graph import Apply
from theano._src.ops.core.cast import cast
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.core.grad_helpers import const_like
from theano._src.ops.elementwise.arithmetic import Abs, abs_, add, mul, pow as pow_, sgn, sqr
from theano._src.ops.elementwise.explog import Log, log
from theano._src.ops.linalg.cholesky import cholesky
from theano._src.ops.linalg.dot import Dot
from theano._src.ops.linalg.inverse import Det, SLogDet, det, slogdet
from theano._src.ops.linalg.kron import Kron
from theano._src.ops.reduce.careduce import prod, sum as sum_
from theano._src.ops.shape.shape import shape_i
from theano._src.rules.linalg.facts import facts_of
from theano._src.rules.linalg.systems import diagonals_of, is_square, rule, typed
from theano._src.types.dtypes import complex_dtypes


def log_of_det(node: Apply) -> list[Any] | None:
    """log(det(A)) -> log(sign) + log |det(A)|; log(abs(det(A))) -> log |det(A)|"""
    inner = node.inputs[0].owner
    has_abs = False
    if inner is not None and isinstance(inner.op, Elemwise):
        has_abs = isinstance(inner.op.scalar_op, Abs)
        inner = inner.inputs[0].owner if has_abs else None
    if inner is None or not isinstance(inner.op, Det):
        return None
    (A,) = inner.inputs
    if inner.outputs[0].type.dtype in complex_dtypes:
        return None
    sign, size = slogdet(A)
    return typed(node, size if has_abs else add(log(sign), size))


def _diagonal(fgraph: Any, node: Apply) -> Any:
    """The diagonal of which the determinant is the product, and how often."""
    (A,) = node.inputs
    facts = facts_of(fgraph, A)
    dtype = node.outputs[0].type.dtype
    if dtype in complex_dtypes:
        return None, 0
    if (facts.lower or facts.upper) and is_square(fgraph, A):
        return cast(diagonals_of(A), dtype), 1
    if facts.positive_definite:
        return diagonals_of(cholesky(A)), 2
    return None, 0


def det_of_diagonal(fgraph: Any, node: Apply) -> list[Any] | None:
    """det(L) -> prod(diag(L)); det(A) -> prod(diag(cholesky(A))) ** 2, if positive definite"""
    d, times = _diagonal(fgraph, node)
    if d is None:
        return None
    dtype = node.outputs[0].type.dtype
    result = prod(d, axis=-1, dtype=dtype, acc_dtype=dtype)
    return typed(node, sqr(result) if times == 2 else result)


def slogdet_of_diagonal(fgraph: Any, node: Apply) -> list[Any] | None:
    """slogdet(L) -> prod(sgn(diag(L))), sum(log(|diag(L)|)); likewise by cholesky(A)"""
    d, times = _diagonal(fgraph, node)
    if d is None:
        return None
    dtype = d.type.dtype
    size = sum_(log(abs_(d)), axis=-1, dtype=dtype, acc_dtype=dtype)
    sign = prod(sgn(d), axis=-1, dtype=dtype, acc_dtype=dtype)
    if times == 2:
        size = mul(const_like(2, size), size)
        sign = size.zeros_like() + const_like(1, size)
    return typed(node, sign, size)


def _blocks(fgraph: Any, node: Apply) -> Any:
    """The square matrices of a Kronecker product, and the exponents of their determinants."""
    inner = node.inputs[0].owner
    if inner is None or not isinstance(inner.op, Kron):
        return None
    if not all(is_square(fgraph, v) for v in inner.inputs):
        return None
    A, B = inner.inputs
    return (A, shape_i(B, 0)), (B, shape_i(A, 0))


def det_of_kron(fgraph: Any, node: Apply) -> list[Any] | None:
    """det(kron(A, B)) -> det(A) ** n * det(B) ** m, for square A of m and B of n rows"""
    blocks = _blocks(fgraph, node)
    if blocks is None:
        return None
    dtype = node.outputs[0].type.dtype
    return typed(node, mul(*(pow_(det(M), cast(k, dtype)) for M, k in blocks)))


def slogdet_of_kron(fgraph: Any, node: Apply) -> list[Any] | None:
    """slogdet(kron(A, B)) -> sign(A)**n * sign(B)**m, n * log |det(A)| + m * log |det(B)|"""
    blocks = _blocks(fgraph, node)
    if blocks is None:
        return None
    sign, size = (v.type.dtype for v in node.outputs)
    parts = [(slogdet(M), k) for M, k in blocks]
    signs = [pow_(s, cast(k, sign)) for (s, _), k in parts]
    return typed(node, mul(*signs), add(*(mul(cast(k, size), v) for (_, v), k in parts)))


def _factors(fgraph: Any, node: Apply) -> Any:
    inner = node.inputs[0].owner
    if inner is None or not isinstance(inner.op, Dot):
        return None
    return inner.inputs if all(is_square(fgraph, v) for v in inner.inputs) else None


def det_of_dot(fgraph: Any, node: Apply) -> list[Any] | None:
    """det(dot(A, B)) -> det(A) * det(B), for square A and B"""
    factors = _factors(fgraph, node)
    return None if factors is None else typed(node, mul(*map(det, factors)))


def slogdet_of_dot(fgraph: Any, node: Apply) -> list[Any] | None:
    """slogdet(dot(A, B)) -> sign(A) * sign(B), log |det(A)| + log |det(B)|, for square A and B"""
    factors = _factors(fgraph, node)
    if factors is None:
        return None
    signs, sizes = zip(*map(slogdet, factors), strict=True)
    return typed(node, mul(*signs), add(*sizes))


_ONE_PART = "the other elements of a triangular matrix are not read; LinAlgError by cholesky"
_RANGE = "infinite or NaN where the determinant of a factor is out of range"
_ROUNDING = "other digits: a different algorithm"


# fmt: off
RULES = (
    rule(log_of_det, "log_of_det", "canonicalize", [Log], depth=3,
                 hazard="finite where the determinant is out of range"),
    rule(slogdet_of_diagonal, "slogdet_of_diagonal", "canonicalize", [SLogDet],
                 hazard=_ONE_PART),
    rule(slogdet_of_kron, "slogdet_of_kron", "canonicalize", [SLogDet],
                 hazard=_ROUNDING),
    rule(slogdet_of_dot, "slogdet_of_dot", "canonicalize", [SLogDet],
                 hazard=_ROUNDING),
    rule(det_of_diagonal, "det_of_diagonal", "stabilize", [Det],
                 hazard=_ONE_PART),
    rule(det_of_kron, "det_of_kron", "stabilize", [Det],
                 hazard=_RANGE),
    rule(det_of_dot, "det_of_dot", "stabilize", [Det], opt_in=True,
                 hazard=_RANGE),
)
# fmt: on
