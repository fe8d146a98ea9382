"""Products of matrices: transposes, zeros, and the order in which a chain is multiplied."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeGuard

import numpy as np

from theano._src.graph.graph import Apply, Constant, Owned, Variable
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import Mul, mul
from theano._src.ops.linalg.blas import Dot22
from theano._src.ops.linalg.dot import Dot, dot
from theano._src.ops.shape.alloc import Alloc, alloc
from theano._src.ops.shape.dims import dimshuffle
from theano._src.ops.shape.shape import Shape_i
from theano._src.rewrite.pattern import uniform_value
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.blas import turned
from theano._src.types.convert import constant

#: the most matrices in a chain; finding the best order takes cubic time
_MOST = 16

#: a length: an int, or a key that is equal for equal lengths
Length = Any
#: a number of multiplications: a known factor, and the symbolic lengths it is multiplied by
Cost = tuple[int, tuple[Length, ...]]


def transposed_dot(node: Apply) -> list[Any] | None:
    """dot(x, y).T -> dot(y.T, x.T)"""
    if node.op.new_order != (1, 0):
        return None
    inner = node.inputs[0].owner
    if inner is None or not isinstance(inner.op, Dot) or len(node.inputs[0]._clients or ()) > 1:
        return None
    x, y = inner.inputs
    if x.type.ndim != 2 or y.type.ndim != 2:
        return None
    return [dot(turned(y), turned(x))]


def dot_with_zeros(fgraph: Any, node: Apply) -> list[Any] | None:
    """dot(x, 0) -> zeros, where lengths are known to match"""
    x, y = node.inputs
    known = getattr(fgraph, "shape_feature", None)
    if known is None or not (is_zero(x) or is_zero(y)):
        return None
    a, b = known.shape(x), known.shape(y)
    if _length(a[-1]) != _length(b[0]):
        return None
    zero = constant(np.zeros((), node.outputs[0].type.dtype))
    lengths = (*a[:-1], *b[1:])
    return [alloc(zero, *lengths) if lengths else zero]


def is_zero(v: Any) -> bool:
    if v.owner is not None and isinstance(v.owner.op, Alloc):
        v = v.owner.inputs[0]
    value = uniform_value(v)
    return value is not None and bool(value == 0)


def _length(n: Any) -> Length:
    if isinstance(n, Constant):
        return int(n.data)
    if n.owner is not None and isinstance(n.owner.op, Shape_i):
        return (n.owner.op.i, n.owner.inputs[0])
    return n


def _lengths(fgraph: Any, v: Any) -> list[Length]:
    known = getattr(fgraph, "shape_feature", None)
    if known is not None:
        return [_length(n) for n in known.shape(v)]
    return [1 if b else (i, v) for i, b in enumerate(v.type.broadcastable)]


def outer_as_product(node: Apply) -> list[Any] | None:
    """dot(column, row) -> column * row"""
    x, y = node.inputs
    if x.type.ndim != 2 or y.type.ndim != 2:
        return None
    if not (x.type.broadcastable[1] and y.type.broadcastable[0]):
        return None
    return [mul(x, y)]


def dot_of_outer(node: Apply) -> list[Any] | None:
    """dot(x, u * v) -> dot(x, u) * v; dot(u * v, x) -> u * dot(v, x), for a column u and a row v"""
    x, y = node.inputs
    if sides := _outer_sides(y):
        column, row = sides
        result = dot(x, column)
        new = mul(result, row) if x.type.ndim == 2 else mul(result, dimshuffle(row, 1))
    elif sides := _outer_sides(x):
        column, row = sides
        result = dot(row, y)
        new = mul(column, result) if y.type.ndim == 2 else mul(dimshuffle(column, 0), result)
    else:
        return None
    return [new] if new.type == node.outputs[0].type else None


def _outer_sides(v: Any) -> tuple[Any, Any] | None:
    """The column and the row of which a matrix is the product; numbers belong to the column."""
    inner = v.owner
    if inner is None or not isinstance(inner.op, Elemwise) or len(v._clients or ()) > 1:
        return None
    if v.type.ndim != 2 or not isinstance(inner.op.scalar_op, Mul):
        return None
    columns = [u for u in inner.inputs if u.type.broadcastable[1]]
    rows = [u for u in inner.inputs if not u.type.broadcastable[1]]
    if not rows or not all(u.type.broadcastable[0] for u in rows):
        return None
    if all(u.type.broadcastable[0] for u in columns):
        return None
    return mul(*columns), mul(*rows)


def chain_order(fgraph: Any, node: Apply) -> list[Any] | None:
    """dot(dot(a, b), c) -> dot(a, dot(b, c)) or the other way, where it takes fewer steps

    If all lengths are known, the best order of the whole chain is found. Otherwise, as with a
    vector at one end, the order changes if it takes at most twice as many steps for any lengths,
    and may save arbitrarily many.
    """
    x, y = node.inputs
    if not _is_dot(x, node) and not _is_dot(y, node):
        return None
    parts, cost = _chain(fgraph, node)
    if parts is not None and cost is not None:
        return _best(fgraph, parts, cost)
    if _is_dot(x, node):
        a, b = x.owner.inputs
        # a vector in the middle is a column to its left and a row to its right
        if b.type.ndim == 2:
            left, right = _two_ways(fgraph, a, b, y)
            if _is_cheaper(right, left):
                return [dot(a, dot(b, y))]
    if _is_dot(y, node):
        b, c = y.owner.inputs
        if b.type.ndim == 2:
            left, right = _two_ways(fgraph, x, b, c)
            if _is_cheaper(left, right):
                return [dot(dot(x, b), c)]
    return None


def _is_dot(v: Any, user: Apply) -> TypeGuard[Owned]:
    n = v.owner
    return (
        n is not None
        and isinstance(n.op, Dot)
        and v.type.ndim > 0
        and len(v._clients or ()) <= 1
        and all(u.type.dtype == v.type.dtype for u in (*n.inputs, *user.inputs))
    )


def _two_ways(fgraph: Any, a: Any, b: Any, c: Any) -> tuple[list[Cost], list[Cost]]:
    """Return the costs of (a b) c, and of a (b c)."""
    n = _joined(fgraph, [a, b, c])
    left = [_cost(n[0], n[1], n[2]), _cost(n[0], n[2], n[3])]
    right = [_cost(n[1], n[2], n[3]), _cost(n[0], n[1], n[3])]
    return left, right


def _joined(fgraph: Any, parts: Sequence[Any]) -> list[Length]:
    """Return the lengths along a chain: rows of the first, then columns of each."""
    results = [_lengths(fgraph, v) for v in parts]
    if len(results[0]) == 1:
        results[0].insert(0, 1)
    if len(results[-1]) == 1:
        results[-1].append(1)
    ends = [results[0][0], *[n[1] for n in results]]
    same: dict[Length, Length] = {}
    for i, n in enumerate(results[1:], 1):
        # both are the same length; prefer a known one
        pair = (ends[i], n[0])
        first, second = pair if isinstance(pair[0], int) else (pair[1], pair[0])
        same[second] = first
    return [same.get(n, n) for n in ends]


def _cost(*lengths: Length) -> Cost:
    number = 1
    others = []
    for n in lengths:
        if isinstance(n, int):
            number *= n
        else:
            others.append(n)
    return number, tuple(others)


def _is_cheaper(new: Iterable[Cost], old: Iterable[Cost]) -> bool:
    new, old = list(new), list(old)
    if not any(lengths for _, lengths in (*new, *old)):
        return sum(n for n, _ in new) < sum(n for n, _ in old)
    return _within(new, old) and not _within(old, new)


def _within(new: Sequence[Cost], old: Sequence[Cost]) -> bool:
    """Whether each part of one cost is at most a part of the other, whatever the lengths."""
    return all(any(_divides(a, b) for b in old) for a in new)


def _divides(a: Cost, b: Cost) -> bool:
    left = list(b[1])
    for n in a[1]:
        if n not in left:
            return False
        left.remove(n)
    return a[0] <= b[0]


def _chain(fgraph: Any, node: Apply) -> tuple[list[Any] | None, int | None]:
    """Return the matrices of a chain with known lengths, and its cost in the present order."""
    parts: list[Variable] = []
    cost = 0
    todo: list[tuple[Variable, Apply | None]] = [(node.outputs[0], None)]
    while todo:
        v, user = todo.pop()
        if user is not None and not _is_dot(v, user):
            parts.append(v)
            if len(parts) > _MOST:
                return None, None
            continue
        n = v.owner
        assert n is not None
        lengths = _joined(fgraph, n.inputs)
        if not all(isinstance(k, int) for k in lengths):
            return None, None
        cost += int(np.prod(lengths, dtype=object))
        todo.extend((u, n) for u in reversed(n.inputs))
    # a vector in the middle is a column to its left and a row to its right
    return (parts, cost) if all(v.type.ndim == 2 for v in parts[1:-1]) else (None, None)


def _best(fgraph: Any, parts: Sequence[Any], cost: int) -> list[Any] | None:
    """Return the product of a chain in the cheapest order, if that is below ``cost``."""
    n = _joined(fgraph, parts)
    count = len(parts)
    least: dict[tuple[int, int], tuple[int, int]] = {(i, i): (0, i) for i in range(count)}
    for size in range(1, count):
        for i in range(count - size):
            j = i + size
            least[i, j] = min(
                (least[i, k][0] + least[k + 1, j][0] + n[i] * n[k + 1] * n[j + 1], k)
                for k in range(i, j)
            )
    if least[0, count - 1][0] >= cost:
        return None
    result: dict[tuple[int, int], Any] = {(i, i): v for i, v in enumerate(parts)}
    for size in range(1, count):
        for i in range(count - size):
            result[i, i + size] = (i, least[i, i + size][1], i + size)
    return [_multiplied(result, 0, count - 1)]


def _multiplied(out: dict[tuple[int, int], Any], i: int, j: int) -> Any:
    # the recursion is as deep as a chain has matrices, which are few
    result = out[i, j]
    if not isinstance(result, tuple):
        return result
    _, k, _ = result
    return dot(_multiplied(out, i, k), _multiplied(out, k + 1, j))


_ROUNDING = "the last digits may differ: sums are taken in another order"

# fmt: off
RULES = (
    FunctionRule(transposed_dot, "transposed_dot", "canonicalize", [DimShuffle],
                 tags=("local_lift_transpose_through_dot",)),
    FunctionRule(dot_with_zeros, "dot_with_zeros", "canonicalize", [Dot],
                 tags=("local_0_dot_x",),
                 hazard="0 where x is infinite or NaN"),
    FunctionRule(chain_order, "chain_order", "canonicalize", [Dot],
                 tags=("dot_chain",), opt_in=True,
                 hazard=_ROUNDING + ", and what overflows on the way may be another product"),
    FunctionRule(dot_of_outer, "dot_of_outer", "canonicalize", [Dot],
                 tags=("dot_chain",), opt_in=True,
                 hazard=_ROUNDING + ", and what overflows on the way may be another product"),
    FunctionRule(outer_as_product, "outer_as_product", "specialize", [Dot, Dot22],
                 tags=("local_dot22_to_ger_or_gemv",),
                 depth=1),
)
# fmt: on
