"""Sums and products in one form: terms and factors side by side, one constant, one division."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import (
    Add,
    Inv,
    Mul,
    Neg,
    Sub,
    TrueDiv,
    add,
    mul,
    neg,
    sub,
    true_div,
)
from theano._src.rewrite.pattern import uniform_value
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.fills import filled
from theano._src.rules.lengths import drops_a_check, with_length_check
from theano._src.types.convert import constant
from theano._src.types.tensor import tensor_type

#: terms of one sum or factors of one product; a longer chain is left in parts of that length
_MOST = 256


class _Parts:
    """What a node adds and subtracts, or multiplies and divides: two sides, and their constants."""

    def __init__(self) -> None:
        self.sides: tuple[list[Variable], list[Variable]] = ([], [])
        self.constants: tuple[list[Any], list[Any]] = ([], [])
        self.negatives = 0

    def cancel(self) -> list[Variable]:
        """Take out what is on both sides; return it."""
        over, under = self.sides
        if not over or not under:
            return []
        below: dict[Variable, int] = {}
        for v in under:
            below[v] = below.get(v, 0) + 1
        gone: list[Variable] = []
        stay = []
        for v in over:
            if below.get(v, 0):
                below[v] -= 1
                gone.append(v)
            else:
                stay.append(v)
        if gone:
            left = dict.fromkeys(below, 0)
            kept = []
            for v in under:
                if left[v] < below[v]:
                    left[v] += 1
                    kept.append(v)
            self.sides = (stay, kept)
        return gone


def _parts(node: Apply, main: type, inverse: type, flip: type | None, negative: bool) -> _Parts:
    """A node and the like nodes beneath it that nothing else uses, taken apart."""
    found = _Parts()
    dtype = node.outputs[0].type.dtype
    # nearest first: what the node itself names stands before what is inside
    todo: deque[tuple[Variable, int]] = deque()

    def open_node(n: Apply, side: int) -> None:
        kind = type(n.op.scalar_op)
        if kind is main:
            todo.extend((v, side) for v in n.inputs)
        elif kind is inverse:
            todo.append((n.inputs[0], side))
            todo.append((n.inputs[1], 1 - side))
        else:
            todo.append((n.inputs[0], 1 - side))

    open_node(node, 0)
    while todo:
        v, side = todo.popleft()
        value = _number_of(v)
        if value is not None:
            found.constants[side].append(value)
            continue
        owner = v.owner
        if owner is not None and isinstance(owner.op, Elemwise) and len(v._clients or ()) <= 1:
            kind = type(owner.op.scalar_op)
            if kind is Neg and negative and owner.inputs[0].type.dtype == dtype:
                found.negatives += 1
                todo.appendleft((owner.inputs[0], side))
                continue
            if (
                kind in (main, inverse, flip)
                and _opens(v, dtype)
                and len(found.sides[0]) + len(found.sides[1]) + len(todo) < _MOST
            ):
                open_node(owner, side)
                continue
        found.sides[side].append(v)
    return found


def _opens(v: Any, dtype: str) -> bool:
    """Whether the node of ``v`` computes in the dtype of what it is part of."""
    owner = v.owner
    return (
        v.type.dtype == dtype
        and not owner.op.inplace_items
        and all(x.type.dtype == dtype or _number_of(x) is not None for x in owner.inputs)
    )


def _open_used_elsewhere(found: _Parts, dtype: str) -> None:
    """Take apart those factors, used elsewhere too, in which something then cancels.

    The gradient of log(c * exp(x)) divides exp(x) by a product that the logarithm uses.
    """
    family = (Mul, TrueDiv, Inv)
    for side in (0, 1):
        for v in list(found.sides[side]):
            node = v.owner
            if node is None or not isinstance(node.op, Elemwise):
                continue
            if type(node.op.scalar_op) not in family or not _opens(v, dtype):
                continue
            inner = _parts(node, *family, negative=True)
            here, there = found.sides[side], found.sides[1 - side]
            if not (_meet(inner.sides[0], there) or _meet(inner.sides[1], here)):
                continue
            if any(u.owner and not isinstance(u.owner.op, Elemwise) for u in inner.sides[1]):
                continue  # a softmax, or the like of it: rules know it as a whole
            here.remove(v)
            for k in (0, 1):
                found.sides[side ^ k].extend(inner.sides[k])
                found.constants[side ^ k].extend(inner.constants[k])
            found.negatives += inner.negatives


def _meet(one: list[Variable], other: list[Variable]) -> bool:
    return bool(one) and bool(other) and not set(one).isdisjoint(other)


def _is_inside(node: Apply, family: tuple[type, ...]) -> bool:
    """Whether the one user of a node is of the same family, and will take it apart itself."""
    out = node.outputs[0]
    clients = out._clients or ()
    if len(clients) != 1:
        return False
    user = next(iter(clients))[0]
    return (
        user != "output"
        and isinstance(user.op, Elemwise)
        and isinstance(user.op.scalar_op, family)
        and not user.op.inplace_items
        and user.outputs[0].type.dtype == out.type.dtype
    )


def _of_type(fgraph: Any, new: Any, node: Apply, gone: Sequence[Variable]) -> list[Variable] | None:
    """``new``, as long as what was taken out: checked to be, or stretched to it."""
    out: Any = node.outputs[0]
    if new.type.dtype != out.type.dtype:
        return None
    if gone and drops_a_check(node, _read_by(fgraph, new)):
        return None
    if new.type.broadcastable == out.type.broadcastable:
        for v in dict.fromkeys(gone):
            new = with_length_check(fgraph, new, v)
        return [new]
    new = filled(fgraph, new, gone, out)
    return [new] if new.type.broadcastable == out.type.broadcastable else None


def _read_by(fgraph: Any, new: Variable) -> set[Variable]:
    """The variables of a graph that a new variable is made of."""
    found, stack = set(), [new]
    while stack:
        v = stack.pop()
        if v.owner is None or v.owner in fgraph.apply_nodes:
            found.add(v)
        else:
            stack.extend(v.owner.inputs)
    return found


def _number_of(v: Any) -> Any:
    """The number that a constant is; None if it is none, or has lengths that must be checked."""
    return uniform_value(v) if all(v.type.broadcastable) else None


def _number(value: Any, dtype: str, ndim: int) -> Any:
    return constant(np.full((1,) * ndim, value, dtype))


def product(fgraph: Any, node: Apply) -> list[Any] | None:
    """(a * b) / c * 2 / a -> (2 * b) / c: factors, one constant, at most one division."""
    out = node.outputs[0]
    if node.op.inplace_items or out.type.dtype == "bool":
        return None
    if _is_inside(node, (Mul, TrueDiv, Inv)):
        return None
    floats = out.type.numpy_dtype.kind in "fc"
    if not floats and not isinstance(node.op.scalar_op, Mul):
        return None
    if any(v.type.dtype != out.type.dtype and _number_of(v) is None for v in node.inputs):
        return None  # factors that are cast on the way stay where they are
    parts = _parts(node, Mul, TrueDiv, Inv, negative=True)
    if not floats and (parts.sides[1] or parts.constants[1]):
        return None
    if floats:
        _open_used_elsewhere(parts, out.type.dtype)
    gone = parts.cancel() if floats else []
    (over, under), (c_over, c_under) = parts.sides, parts.constants
    dtype = out.type.numpy_dtype
    with np.errstate(all="ignore"):
        c = dtype.type(-1 if parts.negatives % 2 else 1)
        for value in c_over:
            c = c * dtype.type(value)
        d = dtype.type(1)
        for value in c_under:
            d = d * dtype.type(value)
        if _is_lost(c, c_over) or _is_lost(d, c_under):
            return None
        if d != 1 and (c != 1 or under) and not _is_lost(c / d, [c, d]):
            c, d = c / d, dtype.type(1)
    factors = list(over)
    if c != 1 or not factors:
        factors.insert(0, _number(c, out.type.dtype, out.type.ndim))
    below = [*under, _number(d, out.type.dtype, out.type.ndim)] if d != 1 else under
    if _stands(node, Mul, factors, below):
        return None
    new = factors[0] if len(factors) == 1 else mul(*factors)
    if below:
        new = true_div(new, below[0] if len(below) == 1 else mul(*below))
    return _of_type(fgraph, new, node, gone)


def _is_lost(made: Any, factors: Sequence[Any]) -> bool:
    """Whether numbers together are out of range, though none of them is."""
    if np.isfinite(made) and made != 0:
        return False
    return all(np.isfinite(f) and f != 0 for f in factors)


def total(fgraph: Any, node: Apply) -> list[Any] | None:
    """(a + b) - (c - 2) - a -> (2 + b) - c: terms, one constant, at most one difference."""
    out = node.outputs[0]
    if node.op.inplace_items or out.type.dtype == "bool":
        return None
    if _is_inside(node, (Add, Sub)):
        return None
    if any(v.type.dtype != out.type.dtype and _number_of(v) is None for v in node.inputs):
        return None
    parts = _parts(node, Add, Sub, Neg, negative=False)
    gone = parts.cancel()
    (plus, minus), (c_plus, c_minus) = parts.sides, parts.constants
    dtype = out.type.numpy_dtype
    with np.errstate(all="ignore"):
        c = dtype.type(0)
        for value in c_plus:
            c = c + dtype.type(value)
        for value in c_minus:
            c = c - dtype.type(value)
    terms = list(plus)
    if not terms and len(c_plus) + len(c_minus) == 0 and minus:
        below = minus[0] if len(minus) == 1 else add(*minus)
        return _of_type(fgraph, neg(below), node, gone)
    if c != 0 or not terms:
        terms.insert(0, _number(c, out.type.dtype, out.type.ndim))
    if _stands(node, Add, terms, minus):
        return None
    new = terms[0] if len(terms) == 1 else add(*terms)
    if minus:
        new = sub(new, minus[0] if len(minus) == 1 else add(*minus))
    return _of_type(fgraph, new, node, gone)


def _stands(node: Apply, main: type, over: list[Any], under: list[Any]) -> bool:
    """Whether a node is written so already, and prints as users know it."""
    if node.op.name is None:
        return False
    if under:
        return (
            type(node.op.scalar_op) is not main
            and _is_written(node.inputs[0], main, over)
            and _is_written(node.inputs[1], main, under)
        )
    return type(node.op.scalar_op) is main and _same(node.inputs, over)


def _is_written(v: Variable, main: type, parts: list[Any]) -> bool:
    if len(parts) == 1:
        return _same([v], parts)
    n = v.owner
    return (
        n is not None
        and isinstance(n.op, Elemwise)
        and type(n.op.scalar_op) is main
        and _same(n.inputs, parts)
    )


def _same(have: Sequence[Variable], want: Sequence[Any]) -> bool:
    if len(have) != len(want):
        return False
    for a, b in zip(have, want, strict=True):
        if a is b:
            continue
        value = uniform_value(b) if b.owner is None else None
        if value is None or a.type.dtype != b.type.dtype or uniform_value(a) != value:
            return False
    return True


def _vectors(*names: str) -> list[Any]:
    return [tensor_type("float64", (False,))(name) for name in names]


def _product_example() -> tuple[list[Any], list[Any]]:
    a, b = _vectors("a", "b")
    return [a, b], [mul(true_div(mul(a, 2.0), mul(b, 3.0)), neg(b), 0.5)]


def _total_example() -> tuple[list[Any], list[Any]]:
    a, b, c = _vectors("a", "b", "c")
    return [a, b, c], [sub(add(a, b, 1.0), sub(c, 2.0))]


_ROUNDING = "the last digits may differ: terms are taken in another order"

RULES = (
    FunctionRule(
        product,
        "product_form",
        "canonicalize",
        [Mul, TrueDiv],
        tags=("local_mul_canonizer", "mul_canonizer"),
        hazard=_ROUNDING + "; x / x is 1 where x is 0, infinite or NaN",
        example=_product_example,
        depth=3,
    ),
    FunctionRule(
        total,
        "sum_form",
        "canonicalize",
        [Add, Sub],
        tags=("local_add_canonizer", "add_canonizer"),
        hazard=_ROUNDING + "; x - x is 0 where x is infinite or NaN",
        example=_total_example,
        depth=3,
    ),
)
