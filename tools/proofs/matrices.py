"""Random matrices with facts: half of them have small whole numbers, so that signs and zeros occur.

The others have a condition number between 1 and a power of ten. Matrices of an *any* kind may be
singular.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Stack = np.ndarray[Any, Any]

#: the fact that a kind of operand states; operands of other kinds state none
FACTS = ("lower", "upper", "diagonal", "orthogonal", "positive_definite", "square")
#: dimensions of operands that are no matrices
DIMENSIONS = {"vector": 1, "stack": 3}


@dataclass(frozen=True)
class Lengths:
    """The lengths of matrices, of other operands, and of the second block of a product."""

    n: int
    k: int
    block: int


def fact_of(kind: str) -> str | None:
    return next((word for word in kind.split() if word in FACTS), None)


def ndim_of(kind: str) -> int:
    return next((DIMENSIONS[word] for word in kind.split() if word in DIMENSIONS), 2)


def draw(rng: np.random.Generator, kind: str, count: int, lengths: Lengths, most: float) -> Stack:
    """Return so many operands of a kind, with condition numbers up to about ``10 ** most``."""
    words = kind.split()
    n = lengths.block if "block" in words else lengths.n
    if "stack" in words:
        several = draw(rng, kind.replace("stack", ""), count * lengths.k, lengths, most)
        return several.reshape(count, lengths.k, n, n)
    shape = {"vector": (n,), "columns": (n, lengths.k), "rows": (lengths.k, n)}.get(words[0])
    if shape is not None:
        whole, smooth = rng.integers(-3, 4, (count, *shape)), rng.normal(size=(count, *shape))
    else:
        form, regular = fact_of(kind) or "regular", words[0] != "any"
        whole = _whole(rng, form, regular, count, n)
        smooth = _smooth(rng, form, regular, count, n, most)
    pick = (rng.random(count) < 0.5).reshape(count, *[1] * (whole.ndim - 1))
    return np.where(pick, whole.astype("float64"), smooth)


def _turned(x: Stack) -> Stack:
    return np.swapaxes(x, -1, -2)


# whole numbers


def _digits(rng: np.random.Generator, regular: bool, count: int, n: int) -> Stack:
    """Numbers for diagonals."""
    digits = rng.integers(1, 4, (count, n)) * rng.choice([-1, 1], (count, n))
    return digits if regular else digits * (rng.random((count, n)) < 0.9)


def _diagonals(d: Stack) -> Stack:
    return d[..., None] * np.eye(d.shape[-1], dtype=d.dtype)


def _whole(rng: np.random.Generator, form: str, regular: bool, count: int, n: int) -> Stack:
    square = rng.integers(-2, 3, (count, n, n))
    diagonal = _diagonals(_digits(rng, regular, count, n))
    if form == "diagonal":
        return diagonal
    if form == "positive_definite":
        return square @ _turned(square) + np.eye(n, dtype=int)
    if form == "orthogonal":
        order = rng.permuted(np.tile(np.arange(n), (count, 1)), axis=1)
        signs = rng.choice([-1, 1], (count, n, 1))
        return signs * (order[:, :, None] == np.arange(n))
    if form in ("lower", "upper"):
        lower = np.tril(square, -1) + diagonal
        return lower if form == "lower" else _turned(lower)
    if regular:
        upper = np.triu(rng.integers(-1, 2, (count, n, n)), 1) + np.eye(n, dtype=int)
        return _whole(rng, "orthogonal", True, count, n) @ (np.tril(square, -1) + diagonal) @ upper
    # a third of them has a row twice
    twice = (rng.random(count) < 1 / 3)[:, None] & (np.arange(n) == n - 1)
    return np.where(twice[..., None] & (n > 1), -square[:, :1], square)


# real numbers


def _spread(rng: np.random.Generator, count: int, n: int, most: float) -> Stack:
    """Positive numbers between 1 and a power of ten, which occur, times a power of two."""
    shares = rng.random((count, n))
    shares[:, :2] = [0.0, 1.0][: min(n, 2)]
    exponents = rng.permuted(shares, axis=1) * most * rng.random((count, 1))
    return 10.0**-exponents * 2.0 ** rng.integers(-2, 3, (count, 1))


def _orthogonal(rng: np.random.Generator, count: int, n: int) -> Stack:
    q = np.linalg.qr(rng.normal(size=(count, n, n)))[0]
    # those of LAPACK all have a determinant of the same sign
    return q * rng.choice([-1.0, 1.0], (count, 1, n))


def _smooth(
    rng: np.random.Generator, form: str, regular: bool, count: int, n: int, most: float
) -> Stack:
    q, s = _orthogonal(rng, count, n), _spread(rng, count, n, most)
    signed = s * rng.choice([-1.0, 1.0], (count, n))
    if form == "orthogonal":
        return q
    if form == "diagonal":
        return _diagonals(signed)
    if form == "positive_definite":
        result = (q * s[:, None]) @ _turned(q)
        return (result + _turned(result)) / 2
    if form in ("lower", "upper"):
        rest = rng.normal(size=(count, n, n)) * s[..., None] / n
        lower = np.tril(rest, -1) + _diagonals(signed)
        return lower if form == "lower" else _turned(lower)
    if not regular:
        s = s * (rng.random((count, n)) < 0.95)
    return (q * s[:, None]) @ _orthogonal(rng, count, n)
