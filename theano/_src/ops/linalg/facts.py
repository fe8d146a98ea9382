"""Facts about matrices: what may be known of one, what follows at once, and tests on values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from theano._src.ground.array_types import Array, ArrayNamespace

#: names of facts that a user may state, with the facts that they stand for
STATED: dict[str, dict[str, Any]] = {
    "symmetric": {"symmetric": True},
    "psd": {"psd": True},
    "positive_definite": {"positive_definite": True},
    "orthogonal": {"orthogonal": True},
    "lower": {"above": 0},
    "upper": {"below": 0},
    "diagonal": {"above": 0, "below": 0, "symmetric": True},
    "square": {"square": True},
}


@dataclass(frozen=True)
class Facts:
    """The facts about a matrix, or about each matrix of a stack.

    Attributes
    ----------
    below, above : int or inf
        How many diagonals below and above the main one may hold other numbers than 0.
    square, symmetric, psd, positive_definite, orthogonal : bool
        ``psd`` is symmetric without negative eigenvalues. The last three are of real matrices.
    others : tuple
        Further hints of users, pairs of a name and a value.

    >>> Facts(positive_definite=True, below=0).hints()
    {'lower': True, 'upper': True, 'diagonal': True, 'positive_definite': True, 'psd': True, ...}
    """

    below: float = math.inf
    above: float = math.inf
    square: bool = False
    symmetric: bool = False
    psd: bool = False
    positive_definite: bool = False
    orthogonal: bool = False
    others: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        def learn(**facts: Any) -> None:
            for name, value in facts.items():
                object.__setattr__(self, name, value)

        if self.positive_definite:
            learn(psd=True)
        if self.psd:
            learn(symmetric=True)
        if self.symmetric:
            least = min(self.below, self.above)
            learn(below=least, above=least)
        if self.symmetric or self.orthogonal:
            learn(square=True)
        if self.square and self.lower and self.upper:
            learn(symmetric=True)

    @property
    def lower(self) -> bool:
        return self.above == 0

    @property
    def upper(self) -> bool:
        return self.below == 0

    @property
    def diagonal(self) -> bool:
        """Whether it is square and diagonal."""
        return self.square and self.lower and self.upper

    def __or__(self, other: Facts) -> Facts:
        """Facts of a matrix of which both are known."""
        if other is NOTHING or self == other:
            return self
        return Facts(
            min(self.below, other.below),
            min(self.above, other.above),
            **{name: getattr(self, name) or getattr(other, name) for name in _FLAGS},
            others=tuple({**dict(self.others), **dict(other.others)}.items()),
        )

    @property
    def turned(self) -> Facts:
        """Facts of the transpose."""
        flags = {name: getattr(self, name) for name in _FLAGS}
        return Facts(self.above, self.below, **flags)

    def hints(self) -> dict[str, Any]:
        """The facts by name, as ``theano.sandbox.linalg.ops.hints`` shows them."""
        result: dict[str, Any] = {}
        for name in ("lower", "upper", "diagonal", "positive_definite", "psd", "symmetric"):
            if getattr(self, name):
                result[name] = True
        if self.orthogonal:
            result["orthogonal"] = True
        if self.square and not self.symmetric and not self.orthogonal:
            result["square"] = True
        if any(0 < n < math.inf for n in (self.below, self.above)):
            result["banded"] = (self.below, self.above)
        return {**result, **dict(self.others)}


_FLAGS = ("square", "symmetric", "psd", "positive_definite", "orthogonal")

#: nothing is known
NOTHING = Facts()


def facts_of_hints(hints: Mapping[str, Any]) -> Facts:
    """Return the facts that hints state; hints of other names are kept as they are."""
    result = NOTHING
    for name, value in hints.items():
        if name == "banded" and isinstance(value, tuple):
            below, above = value
            result |= Facts(below=below, above=above)
        elif name in STATED and value in (True, False):
            result |= Facts(**STATED[name]) if value else NOTHING
        else:
            result |= Facts(others=((name, value),))
    return result


def failures(xp: ArrayNamespace, facts: Facts, x: Array) -> Iterator[tuple[str, Any]]:
    """Yield the name of each fact, and whether the values of ``x`` contradict it.

    A value may differ by half of the digits of its dtype, relative to the largest value.
    """
    rows, columns = x.shape[-2:]
    if facts.square and rows != columns:
        yield "square", xp.asarray(True)
        return
    if not x.size:
        return
    if x.dtype.kind not in "fc":
        x = xp.astype(x, "float64")
    room = math.sqrt(float(np.finfo(x.dtype).eps))
    other = xp.swapaxes(x, -1, -2)
    # NaN in one place says nothing about others
    largest = xp.max(xp.where(xp.isnan(x), 0, xp.abs(x)))

    def differ(part: Array, size: Any) -> Any:
        # a comparison with NaN is false
        return ~xp.all(xp.abs(part) <= room * size)

    if facts.diagonal:
        rest = xp.where(xp.eye(rows, dtype=bool), xp.zeros_like(x), x)
        yield "diagonal", differ(rest, largest)
        return
    if facts.above < columns:
        name = "lower" if facts.lower else f"banded, {facts.above} above the main diagonal"
        yield name, differ(xp.triu(x, int(facts.above) + 1), largest)
    if facts.below < rows:
        name = "upper" if facts.upper else f"banded, {facts.below} below the main diagonal"
        yield name, differ(xp.tril(x, -int(facts.below) - 1), largest)
    if facts.symmetric:
        same = (x == other) | (xp.isnan(x) & xp.isnan(other))
        yield "symmetric", differ(xp.where(same, xp.zeros_like(x), x - other), largest)
    if facts.orthogonal:
        product = xp.matmul(x, other)
        yield "orthogonal", differ(product - xp.eye(rows, dtype=x.dtype), 1)
    if facts.psd:
        finite = xp.all(xp.isfinite(x))
        least = xp.min(xp.linalg.eigvalsh(xp.where(finite, x, xp.zeros_like(x))))
        if facts.positive_definite:
            yield "positive_definite", ~finite | ~(least > 0)
        else:
            yield "psd", ~finite | ~(least >= -room * largest)
