"""Sums of scaled matrix products, split into terms for Gemm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import (
    Add,
    Mul,
    Neg,
    Sub,
    TrueDiv,
    add,
    mul,
    true_div,
)
from theano._src.ops.linalg.blas import (
    FLOATS,
    Dot22,
    Dot22Scalar,
    Gemm,
    Gemv,
)
from theano._src.ops.linalg.dot import Dot
from theano._src.ops.shape.dims import dimshuffle
from theano._src.rewrite.pattern import uniform_value
from theano._src.rules.factoring import is_rounded
from theano._src.types.convert import constant
from theano._src.types.dtypes import upcast

#: the most terms of a sum; longer sums are left alone
_MOST = 64


class Scale(NamedTuple):
    """A number, times some scalars, divided by others."""

    number: complex = 1.0
    over: tuple[Variable, ...] = ()
    under: tuple[Variable, ...] = ()

    def times(self, other: Scale) -> Scale:
        return Scale(self.number * other.number, self.over + other.over, self.under + other.under)

    @property
    def is_one(self) -> bool:
        return self.number == 1 and not self.over and not self.under


class Term(NamedTuple):
    """One term of a sum: a variable, scaled by the sum of ``factors``.

    For a matrix product, ``sides`` are its operands, and ``value`` is ``own`` times their product.
    """

    factors: list[Scale]
    value: Variable
    sides: tuple[Variable, Variable] | None = None
    own: Scale = Scale()


def as_number(v: Any, dtype: str) -> Scale | None:
    """Return a variable of one element as a factor for ``dtype``; None if it would widen it."""
    if not all(v.type.broadcastable):
        return None
    value = uniform_value(v)
    if value is not None:
        number = np.asarray(value).item()
        return Scale(number) if np.isfinite(number) else None
    if upcast(v.type.dtype, dtype) != dtype:
        return None
    return Scale(1.0, (cast(as_scalar(v), dtype),))


def as_scalar(res: Any, dtype: str | None = None) -> Any:
    """Return a variable of one element as a scalar without dimensions; None for others.

    With ``dtype``, the scalar is cast to it, or None if it would widen that dtype.

    >>> import theano.tensor as T
    >>> x = T.dscalar("x")
    >>> as_scalar(x.dimshuffle("x", "x")) is x, as_scalar(T.dvector())
    (True, None)
    """
    if not all(res.type.broadcastable):
        return None
    while res.owner is not None and isinstance(res.owner.op, DimShuffle):
        res = res.owner.inputs[0]
    if res.type.ndim:
        res = dimshuffle(res)
    if dtype is None or res.type.dtype == dtype:
        return res
    return cast(res, dtype) if upcast(res.type.dtype, dtype) == dtype else None


def is_real_matrix(res: Any) -> bool:
    """Whether a variable is a matrix of floating-point numbers, and neither a row nor a column.

    >>> import theano.tensor as T
    >>> is_real_matrix(T.dmatrix().T), is_real_matrix(T.drow()), is_real_matrix(T.lmatrix())
    (True, False, False)
    """
    return res.type.dtype in FLOATS and res.type.broadcastable == (False, False)


def is_real_vector(res: Any) -> bool:
    """Whether a variable is a vector of floating-point numbers, of any length by its type.

    >>> import theano.tensor as T
    >>> is_real_vector(T.dvector()), is_real_vector(T.dmatrix())
    (True, False)
    """
    return res.type.dtype in FLOATS and res.type.broadcastable == (False,)


@documented_in("theano.tensor.blas")
def res_is_a(var: Any, op: Any, maxclients: int | None = None) -> bool:
    """Whether ``op`` computes ``var``, and ``var`` has at most ``maxclients`` uses.

    >>> import theano.tensor as T
    >>> from theano.tensor.blas import res_is_a
    >>> x = T.dvector("x")
    >>> res_is_a(T.exp(x), T.exp), res_is_a(x, T.exp), res_is_a(T.sin(x), T.exp)
    (True, False, False)
    """
    if var.owner is None or var.owner.op != op:
        return False
    return maxclients is None or len(var._clients or ()) <= maxclients


def _scaled_part(node: Apply, dtype: str) -> tuple[Scale, Variable] | None:
    """Split a product with, or quotient by, numbers into its factor and the scaled variable."""
    if isinstance(node.op.scalar_op, TrueDiv):
        v, d = node.inputs
        result = as_number(d, dtype)
        if result is None or not result.number:
            return None
        return Scale(1 / result.number, (), result.over), v
    rest: Variable | None = None
    factor = Scale()
    for v in node.inputs:
        result = as_number(v, dtype)
        if result is not None:
            factor = factor.times(result)
        elif rest is not None:
            return None
        else:
            rest = v
    return None if rest is None else (factor, rest)


def _sides(node: Apply, dtype: str) -> tuple[Scale, tuple[Variable, Variable]] | None:
    """Return the factor and the two operands of a matrix product; None for other nodes."""
    op, ins = node.op, node.inputs
    factor: Scale | None = Scale()
    if isinstance(op, (Dot, Dot22)):
        sides = (ins[0], ins[1])
    elif isinstance(op, Dot22Scalar):
        sides = (ins[0], ins[1])
        factor = as_number(ins[2], dtype)
    elif isinstance(op, (Gemm, Gemv)) and not op.inplace and uniform_value(ins[4]) == 0:
        sides = (ins[2], ins[3])
        factor = as_number(ins[1], dtype)
    else:
        return None
    if factor is None or any(v.type.dtype != dtype for v in sides):
        return None
    return factor, sides


def is_exact(term: Term) -> bool:
    """Whether a term may be free of rounding errors.

    If all terms of a sum but one are rounded, the sum is as inaccurate as these in any order: each
    partial sum is at most as large as all of them, or as the others and the result (ADR 22).
    """
    if term.sides is not None or all(abs(f.number) != 1 or f.over or f.under for f in term.factors):
        return False
    return not is_rounded(term.value)


def _terms(out: Any, in_order: bool) -> list[Term] | None:
    """Split a sum into terms; None if no product is among them.

    Nested sums that nothing else uses are split too, and multiples of one variable become one
    term. With ``in_order``, only terms that are added from left to right are split.
    """
    dtype = out.type.dtype
    terms: list[Term] = []
    at: dict[Variable, int] = {}  # positions of terms that are not products
    products = 0
    todo: list[tuple[Variable, Scale]] = [(out, Scale())]
    while todo:
        v, factor = todo.pop()
        node = v.owner
        if node is not None and v.type == out.type and (v is out or len(v._clients or ()) <= 1):
            parts = _opened(node, factor, dtype)
            if parts is not None and (not in_order or not terms or len(parts) == 1):
                todo.extend(reversed(parts))
                if len(todo) + len(terms) > _MOST:
                    return None
                continue
            result = _sides(node, dtype)
            if result is not None:
                own, sides = result
                terms.append(Term([factor], v, sides, own))
                products += 1
                continue
        if v in at and not in_order:
            terms[at[v]].factors.append(factor)
        else:
            at[v] = len(terms)
            terms.append(Term([factor], v))
    return terms if products else None


def _opened(node: Apply, factor: Scale, dtype: str) -> list[tuple[Variable, Scale]] | None:
    """Return the variables that a node adds up, with their factors; None for other nodes."""
    op, ins = node.op, node.inputs
    if isinstance(op, Elemwise):
        if op.inplace_items:
            return None
        kind = type(op.scalar_op)
        if kind is Add:
            return [(v, factor) for v in ins]
        if kind is Sub:
            return [(ins[0], factor), (ins[1], factor.times(Scale(-1.0)))]
        if kind is Neg:
            return [(ins[0], factor.times(Scale(-1.0)))]
        if kind is Mul or kind is TrueDiv:
            result = _scaled_part(node, dtype)
            if result is not None and result[1].type == node.outputs[0].type:
                return [(result[1], factor.times(result[0]))]
    elif isinstance(op, (Gemm, Gemv)) and not op.inplace and not factor.is_one:
        # scaled as a whole: the scale moves into its own factors
        beta, alpha = as_number(ins[4], dtype), as_number(ins[1], dtype)
        if alpha is not None and beta is not None and beta.number:
            empty = constant(np.zeros((), dtype))
            bare = op(ins[0], ins[1], ins[2], ins[3], empty)
            return [(ins[0], factor.times(beta)), (bare, factor)]
    return None


def _as_variable(factors: Sequence[Scale], dtype: str) -> Any:
    """Return the sum of factors as a scalar; None if a number is out of the dtype's range."""
    kind = np.dtype(dtype).type
    plain = [f.number for f in factors if not f.over and not f.under]
    parts: list[Any] = []
    numbers: list[complex] = [sum(plain)] if plain else []
    with np.errstate(all="ignore"):
        for f in factors:
            if not f.over and not f.under:
                continue
            numbers.append(f.number)
            over = [*f.over]
            if f.number != 1 or not over:
                over.insert(0, constant(kind(f.number)))
            part = over[0] if len(over) == 1 else mul(*over)
            if f.under:
                part = true_div(part, f.under[0] if len(f.under) == 1 else mul(*f.under))
            parts.append(part)
        if plain:
            parts.insert(0, constant(kind(sum(plain))))
        if not all(np.isfinite(kind(n)) for n in numbers):
            return None
    return parts[0] if len(parts) == 1 else add(*parts)


def _is_inside(v: Any) -> bool:
    """Whether a sum, or a multiple of it, is the first term of a larger one that will split it."""
    for _ in range(4):
        clients = v._clients or ()
        if len(clients) != 1:
            return False
        user = next(iter(clients))[0]
        if user == "output" or not isinstance(user.op, Elemwise) or user.op.inplace_items:
            return False
        if user.outputs[0].type != v.type:
            return False
        kind = type(user.op.scalar_op)
        if kind is Add or kind is Sub:
            return user.inputs[0] is v
        if kind is TrueDiv and user.inputs[0] is not v:
            return False
        if kind not in (Neg, Mul, TrueDiv) or any(
            u is not v and not all(u.type.broadcastable) for u in user.inputs
        ):
            return False
        v = user.outputs[0]
    return False
