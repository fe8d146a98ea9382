"""Sums and products as chains: items that are added or multiplied in order, with nested chains.

``(a - b) + (c + d)`` is the chain ``a, -b, (c, d)``: each item is combined with all before it, so
a chain evaluates like the nodes it was read from. Rules may change a chain only if no
intermediate value becomes larger or smaller than those before the change (ADR 22):

* a variable that occurs on both sides is cancelled where `may_cancel` allows it;
* constants of a product move if they are of moderate size; constants of a sum are merged if the
  result is exact, or no larger than what it is added to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
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
    inv,
    mul,
    neg,
    sub,
    true_div,
)
from theano._src.rewrite.pattern import uniform_value

#: the most items of a chain and the deepest nesting; beyond that, parts stay separate
MOST, DEEPEST = 256, 8
#: constants of a product move as long as they change intermediate values by less than 2**12
MODERATE_BITS = 12


@dataclass(frozen=True)
class Family:
    """The ops of a kind of chain: sums, or products."""

    main: type
    inverse: type
    flip: type

    @property
    def ops(self) -> tuple[type, ...]:
        return (self.main, self.inverse, self.flip)


SUMS = Family(Add, Sub, Neg)
PRODUCTS = Family(Mul, TrueDiv, Inv)


@dataclass(eq=False)
class Item:
    """An item of a chain: a variable, the value of a constant, or a nested chain."""

    part: Any
    inverse: bool = False

    @property
    def is_number(self) -> bool:
        return not isinstance(self.part, (Variable, Chain))

    def flipped(self, inverse: bool) -> Item:
        return Item(self.part, self.inverse ^ inverse)


@dataclass(eq=False)
class Chain:
    """Items combined from left to right, and the sign of a product."""

    family: Family
    items: list[Item] = field(default_factory=list)
    negative: bool = False

    def leaves(self) -> Iterator[tuple[Item, list[tuple[Chain, int]]]]:
        """Yield each variable and its path: the chains that hold it, outermost first, and where."""
        todo: list[tuple[Chain, list[tuple[Chain, int]]]] = [(self, [])]
        while todo:
            chain, path = todo.pop()
            for i, item in enumerate(chain.items):
                here = [*path, (chain, i)]
                if isinstance(item.part, Chain):
                    todo.append((item.part, here))
                elif isinstance(item.part, Variable):
                    yield item, here

    def variables(self) -> Iterator[tuple[Variable, bool]]:
        """Yield each variable, and whether it is divided by or subtracted."""
        for item, path in self.leaves():
            yield item.part, _side(path)

    def tidy(self) -> None:
        """Unnest chains that are empty, hold one item or come first; put a positive item first."""
        items: list[Item] = []
        for item in self.items:
            if isinstance(item.part, Chain):
                item.part.tidy()
                inner = item.part.items
                self.negative ^= item.part.negative
                item.part.negative = False
                opens = not item.inverse or self.family is SUMS
                if len(inner) <= 1 or (not items and opens):
                    items += [i.flipped(item.inverse) for i in inner]
                    continue
            items.append(item)
        if len(items) > 1 and items[0].inverse and not items[1].inverse:
            items[:2] = items[1::-1]
        self.items = items


def _side(path: list[tuple[Chain, int]]) -> bool:
    """Whether an item is divided by or subtracted, counting all chains around it."""
    return sum(chain.items[i].inverse for chain, i in path) % 2 == 1


def number_of(v: Any) -> Any:
    """Return the value of a constant; None for others, or if its lengths must be checked."""
    return uniform_value(v) if all(v.type.broadcastable) else None


def opens(v: Any, dtype: str) -> bool:
    """Whether the node of ``v`` computes in ``dtype`` throughout, so that it can be split."""
    owner = v.owner
    return (
        v.type.dtype == dtype
        and not owner.op.inplace_items
        and all(x.type.dtype == dtype or number_of(x) is not None for x in owner.inputs)
    )


def read(node: Apply, family: Family) -> Chain:
    """Read a node, and nodes of the family below it that nothing else uses, as a chain."""
    dtype = node.outputs[0].type.dtype
    room = [MOST]

    def kind_of(v: Any) -> type | None:
        owner = v.owner
        if owner is None or not isinstance(owner.op, Elemwise) or len(v._clients or ()) > 1:
            return None
        kind = type(owner.op.scalar_op)
        if kind is Neg and owner.inputs[0].type.dtype != dtype:
            return None
        known = kind is Neg or kind in family.ops
        return kind if known and room[0] > 0 and opens(v, dtype) else None

    def whole(first: Apply, depth: int) -> Chain:
        chain = Chain(family)
        reverse: list[Item] = []
        kind: type | None = type(first.op.scalar_op)
        inputs, inverse = first.inputs, False
        while True:
            room[0] -= len(inputs)
            if kind is Neg:
                chain.negative ^= family is PRODUCTS
                inverse ^= family is SUMS
            elif kind is Inv:
                reverse.append(item(inputs[0], True, depth))
                break
            else:
                flip = inverse ^ (kind is family.inverse)
                reverse += [item(v, flip, depth) for v in reversed(inputs[1:])]
            v: Any = inputs[0]
            kind = kind_of(v)
            if kind is None:
                reverse.append(item(v, inverse, DEEPEST))
                break
            inputs = v.owner.inputs
        chain.items = reverse[::-1]
        return chain

    def item(v: Any, inverse: bool, depth: int) -> Item:
        value = number_of(v)
        if value is not None:
            return Item(value, inverse)
        if depth < DEEPEST and kind_of(v) is not None:
            return Item(whole(v.owner, depth + 1), inverse)
        return Item(v, inverse)

    result = whole(node, 0)
    result.tidy()
    return result


def flat(chain: Chain) -> None:
    """Remove all nesting; only for integers, where the order does not matter."""
    items = [Item(v, side) for v, side in chain.variables()]
    todo = [(chain, False)]
    while todo:
        inner, side = todo.pop()
        for i in inner.items:
            if isinstance(i.part, Chain):
                todo.append((i.part, side ^ i.inverse))
            elif i.is_number:
                items.append(i.flipped(side))
    chain.items = items


# ---- cancellation


def may_cancel(chain: Chain, one: list[tuple[Chain, int]], other: list[tuple[Chain, int]]) -> bool:
    """Whether two items may be cancelled, given their paths.

    Their values are part of all partial results up to the one that contains both. Without them
    these partial results change. That is harmless if the new values are among the old: if each
    item is in at most one partial result, or if one is in none, because it is combined last. Then
    new partial sums are at most the sum of two old ones, however many there are; new partial
    products may be out of range from the third on.
    """
    depth = 0
    while one[depth] == other[depth]:
        depth += 1
    if one[depth][1] > other[depth][1]:
        one, other = other, one
    i, j = one[depth][1], other[depth][1]
    p = j - max(i, 1) + _partial_results(one[depth + 1 :])
    q = _partial_results(other[depth + 1 :])
    if p <= 1 and q <= 1:
        return True
    return min(p, q) == 0 and (chain.family is SUMS or max(p, q) <= 2)


def _partial_results(path: list[tuple[Chain, int]]) -> int:
    return sum(max(len(chain.items) - max(i, 1), 1) for chain, i in path)


def cancel(chain: Chain, exact: bool) -> list[Variable]:
    """Cancel variables that occur on both sides; return them."""
    gone: list[Variable] = []
    while (pair := _pair(chain, exact)) is not None:
        v, one, other = pair
        gone.append(v)
        for path in (one, other):
            holder, i = path[-1]
            holder.items[i] = Item(Chain(chain.family), False)
        chain.tidy()
    return gone


def _pair(chain: Chain, exact: bool) -> Any:
    seen: dict[Variable, list[tuple[list[tuple[Chain, int]], bool]]] = {}
    for item, path in chain.leaves():
        side = _side(path)
        for other, other_side in seen.get(item.part, ()):
            if other_side != side and (exact or may_cancel(chain, other, path)):
                return item.part, other, path
        seen.setdefault(item.part, []).append((path, side))
    return None


# ---- constants


def take_all(chain: Chain, dtype: np.dtype[Any]) -> Any:
    """Remove the constants from a product of integers without nesting; return their product."""
    c = -dtype.type(1) if chain.negative else dtype.type(1)
    chain.negative = False
    with np.errstate(all="ignore"):
        for item in chain.items:
            if item.is_number:
                c = c * dtype.type(item.part)
    chain.items = [item for item in chain.items if not item.is_number]
    return c


def take_moderate(chain: Chain, dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """Remove constants of moderate size from a product; return their product and the divisors'."""
    c, d = -dtype.type(1) if chain.negative else dtype.type(1), dtype.type(1)
    chain.negative = False
    bits = 0.0
    todo = [(chain, False)]
    while todo:
        inner, side = todo.pop()
        _merge_neighbours(inner, dtype)
        kept = []
        for item in inner.items:
            if isinstance(item.part, Chain):
                todo.append((item.part, side ^ item.inverse))
            elif item.is_number:
                size = range_bits(item.part)
                if bits + size <= MODERATE_BITS:
                    bits += size
                    if side ^ item.inverse:
                        d = d * dtype.type(item.part)
                    else:
                        c = c * dtype.type(item.part)
                    continue
            kept.append(item)
        inner.items = kept
    chain.tidy()
    return c, d


def range_bits(value: Any) -> float:
    """Return by how many powers of two a factor changes a value, up or down."""
    size = abs(complex(value))
    return abs(math.log2(size)) if size and math.isfinite(size) else math.inf


def _merge_neighbours(chain: Chain, dtype: np.dtype[Any]) -> None:
    """x * 1e9 * 1e-9 -> x: merge neighbouring constants if the result is in range."""
    items = chain.items
    if len(items) > 2 and items[0].is_number and not items[1].inverse:
        items[:2] = items[1::-1]
    i = 0
    while i + 1 < len(items):
        one, two = items[i : i + 2]
        if one.is_number and two.is_number:
            a, b = dtype.type(one.part), dtype.type(two.part)
            with np.errstate(all="ignore"):
                both = a * b if one.inverse == two.inverse else a / b
            if np.isfinite(both) and (both != 0 or 0 in (a, b)):
                items[i : i + 2] = [Item(both, one.inverse)]
                continue
        i += 1


def merge_terms(chain: Chain, dtype: np.dtype[Any]) -> None:
    """(x + 1) + y - 2 -> (-1 + x) + y: merge constants of a sum where that is harmless."""
    todo = [chain]
    while todo:
        inner = todo.pop()
        todo += [i.part for i in inner.items if isinstance(i.part, Chain)]
        with np.errstate(all="ignore"):
            for item in inner.items:
                if item.is_number:
                    value = dtype.type(item.part)
                    item.part = dtype.type(0) - value if item.inverse else value
                    item.inverse = False
            _gather(inner.items)
        inner.items = [i for i in inner.items if not i.is_number or i.part != 0]
        if len(inner.items) > 1 and inner.items[1].is_number and not inner.items[0].inverse:
            inner.items[:2] = inner.items[1::-1]
    chain.tidy()


def _gather(items: list[Item]) -> None:
    """Add later constants of a sum to earlier ones if the result is exact, or not much larger."""
    for i, item in enumerate(items):
        j = i + 1
        while item.is_number and j < len(items):
            if items[j].is_number:
                a, b = item.part, items[j].part
                both = a + b
                is_exact = both - a == b and both - b == a
                if is_exact or abs(a) <= abs(b) or a.dtype.kind not in "fc":
                    item.part = both
                    del items[j]
                    continue
            j += 1


# ---- chains as expressions


def built(chain: Chain, number: Callable[[Any], Any] | None = None) -> Any:
    """Return the chain as an expression; ``number`` converts its numbers to constants."""
    join, part, flip = (add, sub, neg) if chain.family is SUMS else (mul, true_div, inv)

    def variable(item: Item) -> Any:
        if isinstance(item.part, Chain):
            return built(item.part, number)
        return item.part if number is None or not item.is_number else number(item.part)

    def joined(results: list[Any]) -> Any:
        return results[0] if len(results) == 1 else join(*results)

    run: list[Any] = []
    items = [(variable(item), item.inverse) for item in chain.items]
    if items[0][1]:
        below = [v for v, inverse in items]
        if chain.family is SUMS:
            # leading subtracted items are summed, and subtracted from the next item
            n = next((i for i, (_, inverse) in enumerate(items) if not inverse), len(items))
            if n == len(items):
                return flip(joined(below))
            items[: n + 1] = [(part(below[n], joined(below[:n])), False)]
        else:
            items[0] = (flip(below[0]), False)
    for v, inverse in items:
        run = [part(joined(run), v)] if inverse else [*run, v]
    return joined(run)
