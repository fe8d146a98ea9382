"""Matrix products as BLAS calls: with a factor, and added to another array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Constant, owner_of
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.elementwise.arithmetic import (
    Add,
    Mul,
    Sub,
    add,
    mul,
    neg,
)
from theano._src.ops.linalg.blas import (
    FLOATS,
    Dot22,
    Dot22Scalar,
    Gemm,
    _dot22,
    _dot22scalar,
    gemm_no_inplace,
    gemv_no_inplace,
    ger,
)
from theano._src.ops.linalg.dot import Dot
from theano._src.ops.shape.alloc import AllocEmpty
from theano._src.ops.shape.dims import dimshuffle, transpose
from theano._src.ops.shape.shape import shape_i
from theano._src.rewrite.pattern import uniform_value
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.gemm_terms import (
    Scale,
    Term,
    _as_variable,
    _is_inside,
    _scaled_part,
    _sides,
    _terms,
    is_exact,
)
from theano._src.types.convert import constant
from theano._src.types.tensor import tensor_type


def products_in_sum(node: Apply) -> list[Any] | None:
    """b * z + a * dot(x, y) -> Gemm(z, a, x, y, b), or Gemv or Ger, depending on the dimensions"""
    out = node.outputs[0]
    kind = out.type
    if kind.ndim not in (1, 2) or kind.dtype not in FLOATS or node.op.inplace_items:
        return None
    if _is_inside(out):
        return None
    terms = _terms(out, in_order=False)
    if terms is None or len(terms) < 2:
        return None
    if sum(map(is_exact, terms)) > 1:
        terms = _terms(out, in_order=True)
        return None if terms is None else _added_in_order(terms, kind)
    home = _home(terms, kind)
    if home is None:
        return None
    result: Any = home.value
    factors = home.factors
    for term in terms:
        if term.sides is None or term is home:
            continue
        result = _with_product(result, factors, term, kind.dtype)
        if result is None:
            return None
        factors = [Scale()]
    rest = [t for t in terms if t.sides is None and t is not home]
    if not rest:
        return [result]
    others = [_multiple(t, kind.dtype) for t in rest]
    return None if any(v is None for v in others) else [add(*others, result)]


def _with_product(z: Any, factors: list[Scale], term: Term, dtype: str) -> Any:
    """Return a multiple of z plus a product; None if a factor is out of range."""
    assert term.sides is not None
    of_sides = [factor.times(term.own) for factor in term.factors]
    alpha, beta = (_as_variable(f, dtype) for f in (of_sides, factors))
    return None if alpha is None or beta is None else accumulated(z, alpha, *term.sides, beta)


def _added_in_order(terms: list[Term], kind: Any) -> list[Any] | None:
    """Add each product to the sum of all terms before it, as written: no digit is lost."""
    if terms[0].sides is not None and terms[1].sides is None:
        terms[:2] = terms[1::-1]
    sum_so_far = terms[0]
    accumulates = False
    for term in terms[1:]:
        home = sum_so_far.value
        if term.sides is not None and home.type == kind and _may_be_home(sum_so_far):
            result = _with_product(home, sum_so_far.factors, term, kind.dtype)
            accumulates = True
        else:
            both = [_multiple(t, kind.dtype) for t in (sum_so_far, term)]
            result = None if any(v is None for v in both) else add(*both)
        if result is None:
            return None
        sum_so_far = Term([Scale()], result)
    return [sum_so_far.value] if accumulates else None


def _home(terms: Sequence[Term], kind: Any) -> Term | None:
    """Return the term that products are added to: one of the sum's type, a product if need be.

    A term that is computed for this sum alone is preferred: its memory may be overwritten.
    """
    fit = [t for t in terms if t.value.type == kind and _may_be_home(t)]
    plain = [t for t in fit if t.sides is None]
    if not plain:
        return fit[0] if len(fit) > 1 else None
    own = (t for t in plain if t.value.owner is not None and len(t.value._clients or ()) <= 1)
    return next(own, plain[0])


def _may_be_home(term: Term) -> bool:
    # 0 * z is NaN where z is, whereas BLAS does not read z if its factor is 0
    known = [f.number for f in term.factors if not f.over]
    return len(known) < len(term.factors) or sum(known) != 0


def _multiple(term: Term, dtype: str) -> Any:
    if len(term.factors) == 1 and term.factors[0].is_one:
        return term.value
    if len(term.factors) == 1 and term.factors[0] == Scale(-1.0):
        return neg(term.value)
    scale = _as_variable(term.factors, dtype)
    return None if scale is None else mul(scale, term.value)


def accumulated(z: Any, alpha: Any, x: Any, y: Any, beta: Any) -> Any:
    """Return beta z + alpha x y, by the op that fits the dimensions."""
    if z.type.ndim == 1:
        if x.type.ndim == 1:
            x, y = turned(y), x
        return gemv_no_inplace(z, alpha, x, y, beta)
    if x.type.broadcastable[1] and y.type.broadcastable[0] and uniform_value(beta) == 1:
        return ger(z, alpha, dimshuffle(x, 0), dimshuffle(y, 1))
    if z.type.broadcastable == x.type.broadcastable == (True, False):
        row = gemv_no_inplace(dimshuffle(z, 1), alpha, turned(y), dimshuffle(x, 1), beta)
        return dimshuffle(row, "x", 0)
    if z.type.broadcastable == y.type.broadcastable == (False, True):
        column = gemv_no_inplace(dimshuffle(z, 0), alpha, x, dimshuffle(y, 0), beta)
        return dimshuffle(column, 0, "x")
    return gemm_no_inplace(z, alpha, x, y, beta)


def narrow_gemm(node: Apply) -> list[Any] | None:
    """Gemm(z, a, column, row, 1) -> Ger(z, a, column, row); with rows or columns -> Gemv"""
    z, alpha, x, y, beta = node.inputs
    if node.op.inplace:
        return None
    if x.type.broadcastable[1] and y.type.broadcastable[0] and _constant_number(beta) == 0:
        result = mul(dimshuffle(alpha, "x", "x"), x, y)
    else:
        result = accumulated(z, alpha, x, y, beta)
    if isinstance(owner_of(result).op, Gemm) or result.type != node.outputs[0].type:
        return None
    return [result]


def _constant_number(v: Any) -> Any:
    return v.data if isinstance(v, Constant) else None


def turned(x: Any) -> Any:
    """Return x.T; for a transposed matrix, the original matrix.

    >>> import theano.tensor as T
    >>> x = T.dmatrix("x")
    >>> turned(x.T) is x
    True
    """
    n = x.owner
    if n is not None and isinstance(n.op, DimShuffle) and n.op.new_order == (1, 0):
        return n.inputs[0]
    return transpose(x)


def _alike(node: Apply) -> bool:
    dtypes = {v.type.dtype for v in (*node.inputs, *node.outputs)}
    return len(dtypes) == 1 and dtypes.issubset(FLOATS)


def dot_of_matrices(node: Apply) -> list[Any] | None:
    """dot(x, y) -> Dot22(x, y), for two matrices of one floating-point dtype"""
    x, y = node.inputs
    if x.type.ndim != 2 or y.type.ndim != 2 or not _alike(node):
        return None
    return [_dot22(x, y)]


def dot_with_vector(fgraph: Any, node: Apply) -> list[Any] | None:
    """dot(A, x) -> Gemv(empty, 1, A, x, 0); dot(x, A) -> Gemv(empty, 1, A.T, x, 0)"""
    x, y = node.inputs
    ranks = (x.type.ndim, y.type.ndim)
    if ranks not in ((2, 1), (1, 2)) or not _alike(node):
        return None
    matrix, at = (x, 0) if ranks == (2, 1) else (y, 1)
    known = getattr(fgraph, "shape_feature", None)
    length = shape_i(matrix, at) if known is None else known.get_shape(matrix, at)
    dtype = node.outputs[0].type.dtype
    one, zero = (constant(np.asarray(n, dtype)) for n in (1, 0))
    return [accumulated(AllocEmpty(dtype)(length), one, x, y, zero)]


def scaled_dot(node: Apply) -> list[Any] | None:
    """a * dot(x, y) -> Dot22Scalar(x, y, a), for a scalar and two matrices"""
    out = node.outputs[0]
    dtype = out.type.dtype
    if out.type.ndim != 2 or dtype not in FLOATS or node.op.inplace_items:
        return None
    result = None
    for v in node.inputs:
        if v.owner is not None and isinstance(v.owner.op, (Dot, Dot22, Dot22Scalar)):
            result = v
        elif not all(v.type.broadcastable):
            return None
    if result is None or result.type != out.type or len(result._clients or ()) > 1:
        return None
    part, product = _scaled_part(node, dtype), _sides(owner_of(result), dtype)
    if part is None or part[1] is not result or product is None:
        return None
    a = _as_variable([part[0].times(product[0])], dtype)
    return None if a is None else [_dot22scalar(*product[1], a)]


def _matrices(names: str, dtype: str = "float64") -> list[Any]:
    return [tensor_type(dtype, (False, False))(name) for name in names]


_ROUNDING = "the last digits may differ: factors are applied in another order"

RULES = (
    FunctionRule(
        products_in_sum,
        "products_in_sum",
        "BlasOpt",
        [Add, Sub],
        tags=("gemm", "gemm_optimizer", "GemmOptimizer"),
        hazard=_ROUNDING + "; w - c * w is (1 - c) * w where w is infinite",
        depth=3,
    ),
    FunctionRule(
        dot_of_matrices,
        "dot_of_matrices",
        "BlasOpt",
        [Dot],
        tags=("fast_compile", "dot22", "local_dot_to_dot22"),
        depth=1,
    ),
    FunctionRule(
        dot_with_vector,
        "dot_with_vector",
        "local_gemm_to_gemv",
        [Dot],
        tags=("gemv", "local_dot22_to_ger_or_gemv"),
        depth=1,
    ),
    FunctionRule(
        narrow_gemm,
        "narrow_gemm",
        "local_gemm_to_gemv",
        [Gemm],
        tags=("gemm_to_ger", "local_gemm_to_ger"),
        hazard="no error for a z of another shape, where beta is 0",
        depth=1,
    ),
    FunctionRule(
        scaled_dot,
        "scaled_dot",
        "BlasOpt",
        [Mul],
        tags=("local_dot22_to_dot22scalar",),
        hazard=_ROUNDING,
    ),
)
