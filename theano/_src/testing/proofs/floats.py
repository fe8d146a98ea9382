"""Both sides of an equation on every number of a dtype, and a float64 reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from theano._src.compile.function import function
from theano._src.compile.mode import Mode
from theano._src.graph.graph import Variable
from theano._src.rewrite.rule import Rule, example_graph
from theano._src.types.tensor import tensor_type

#: the integers with as many bits, and how many numbers there are
BITS = {"float16": (np.uint16, 1 << 16), "float32": (np.uint32, 1 << 32)}
#: numbers of a chunk: its arrays stay in the cache
_CHUNK = 1 << 17


@dataclass
class Sweep:
    """The results on some numbers of a dtype, or pairs of them.

    Errors are in units in the last place of the dtype. Where the reference is NaN there are none.
    XLA's float32 has no subnormal numbers: they are no inputs there, and the smallest normal number
    is the least unit.

    Attributes
    ----------
    count : int
        How many numbers were tried.
    old, new : float
        The largest error of the left side and of the right side.
    worse : int
        For how many numbers the error of the right side is larger by more than ``room``.
    most : float
        By how much it is larger at most.
    missing : int
        For how many numbers the left side is finite, the right side is not, and the reference says
        that it should be.
    gained : int
        For how many numbers the right side alone is finite.
    where : tuple of float
        Numbers for which the right side is worst: the inputs.
    missing_where : tuple of float
        The first of these numbers.
    """

    count: int = 0
    old: float = 0.0
    new: float = 0.0
    worse: int = 0
    most: float = 0.0
    missing: int = 0
    gained: int = 0
    where: tuple[float, ...] = ()
    missing_where: tuple[float, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether nothing is missing, and the right side is nowhere worse than it may be."""
        return not self.worse and not self.missing

    def merge(self, other: Sweep) -> None:
        """Add what was seen on other numbers."""
        self.count += other.count
        self.old, self.new = max(self.old, other.old), max(self.new, other.new)
        self.worse, self.gained = self.worse + other.worse, self.gained + other.gained
        if other.most > self.most:
            self.most, self.where = other.most, other.where
        if other.missing and not self.missing:
            self.missing_where = other.missing_where
        self.missing += other.missing


class Sides:
    """The two sides of an equation and the reference, as functions of arrays.

    Parameters
    ----------
    rule : Rule
    dtype : str
        ``"float16"`` or ``"float32"``.
    linker : str
        The engine.
    room : float
        By how many units in the last place the right side may be worse than the left.
    """

    def __init__(
        self, rule: Rule, dtype: str = "float32", linker: str = "numpy", room: float = 2.0
    ) -> None:
        self.room = room
        self.dtype = np.dtype(dtype)
        self.names = [h.name for h in rule.lhs.holes()]
        self._sides = _compiled(rule, dtype, linker, slice(0, 2))
        self._right = _compiled(rule, "float64", "numpy", slice(1, 2))
        limits = np.finfo(self.dtype)
        self._largest, self._normal = limits.max, limits.smallest_normal
        # XLA takes numbers below the smallest normal one as 0, and gives 0 for them
        self._flushes = linker == "xla" and dtype == "float32"
        smallest = limits.smallest_normal if self._flushes else limits.smallest_subnormal
        self._smallest = float(smallest)

    def reference(self, *inputs: np.ndarray) -> np.ndarray:
        """Return the right side in float64."""
        (truth,) = self._right(*(x.astype("float64") for x in inputs))
        return np.asarray(truth)

    def sweep(self, *inputs: np.ndarray) -> Sweep:
        """Compare the sides on arrays of numbers of the dtype."""
        with np.errstate(all="ignore"):
            old, new = self._sides(*inputs)
            truth = self.reference(*inputs)
            rounded = truth.astype(self.dtype)
            unit = np.spacing(np.minimum(np.abs(rounded), self._largest))
            unit = np.maximum(unit.astype("float64"), self._smallest)
            error_old, error_new = (self._error(side, truth, rounded, unit) for side in (old, new))
        known = ~np.isnan(truth)
        if self._flushes:
            for x in inputs:
                known &= (x == 0) | (np.abs(x) >= self._normal)
        is_old, is_new = np.isfinite(old), np.isfinite(new)
        missing = known & is_old & ~is_new & np.isfinite(rounded)
        both = known & (is_new | np.isinf(rounded))
        with np.errstate(invalid="ignore"):
            excess = np.where(both & ~missing, error_new - error_old, 0.0)
        excess[np.isnan(excess)] = 0.0
        at = int(np.argmax(excess))
        return Sweep(
            count=old.size,
            old=_largest(error_old[known & is_old]),
            new=_largest(error_new[both & is_new]),
            worse=int(np.count_nonzero(excess > self.room)),
            most=float(excess[at]),
            missing=int(np.count_nonzero(missing)),
            gained=int(np.count_nonzero(is_new & ~is_old)),
            where=tuple(float(x[at]) for x in inputs) if excess[at] > 0 else (),
            missing_where=tuple(float(x[np.argmax(missing)]) for x in inputs)
            if missing.any()
            else (),
        )

    @staticmethod
    def _error(side: Any, truth: Any, rounded: Any, unit: Any) -> Any:
        """Units in the last place; infinite where a side has no number and the reference does."""
        error = np.abs(side.astype("float64") - truth) / unit
        error[side == rounded] = np.minimum(error[side == rounded], 0.5)
        error[np.isnan(error)] = np.inf
        return error


def _compiled(rule: Rule, dtype: str, linker: str, which: slice) -> Any:
    leaves, left, right = example_graph(rule, lambda hole: tensor_type(dtype, (False,))(hole.name))
    inputs: list[Variable] = list(leaves.values())
    mode = Mode(linker=linker, optimizer=None)
    return function(inputs, [left, right][which], mode=mode, on_unused_input="ignore")


def _largest(errors: np.ndarray) -> float:
    return float(errors.max()) if errors.size else 0.0


def numbers(dtype: str, start: int = 0, stop: int | None = None, step: int = 1) -> Iterator[Any]:
    """Yield arrays of the numbers whose bits are ``start``, ``start + step`` and so on.

    >>> [part] = numbers("float16")
    >>> part.size, part[:2], np.isnan(part).sum()
    (65536, array([0.e+00, 6.e-08], dtype=float16), np.int64(2046))
    """
    bits, size = BITS[dtype]
    stop = size if stop is None else stop
    for first in range(start, stop, _CHUNK * step):
        yield np.arange(first, min(first + _CHUNK * step, stop), step).astype(bits).view(dtype)


def pairs(dtype: str, count: int, seed: int = 0) -> Iterator[tuple[Any, Any]]:
    """Yield arrays of chosen pairs, ``count`` in all.

    Signs and exponents are drawn evenly. A fraction is drawn evenly, or is at an end of its range;
    so zeros, infinities, NaN and the powers of 2 with their neighbours occur. One pair in four has
    equal exponents, for what cancels.
    """
    rng = np.random.default_rng(seed)
    (bits, _), fraction = BITS[dtype], np.finfo(dtype).nmant
    heads = 1 << (np.dtype(dtype).itemsize * 8 - fraction)
    for first in range(0, count, _CHUNK):
        size = min(_CHUNK, count - first)
        head = rng.integers(heads, size=(2, size))
        alike = rng.random(size) < 0.25
        head[1] = np.where(alike, head[0] ^ (rng.integers(2, size=size) * (heads // 2)), head[1])
        tail = rng.integers(1 << fraction, size=(2, size))
        end = rng.choice([0, 1, (1 << fraction) - 1], size=(2, size))
        tail = np.where(rng.random((2, size)) < 0.4, end, tail)
        x, y = ((head << fraction) | tail).astype(bits).view(dtype)
        yield x, y


def sweep(
    rule: Rule,
    dtype: str = "float32",
    linker: str = "numpy",
    *,
    start: int = 0,
    stop: int | None = None,
    step: int = 1,
    count: int = 1 << 20,
    room: float = 2.0,
) -> Sweep:
    """Compare the sides of an equation on the numbers of a dtype, or on ``count`` pairs.

    Parameters
    ----------
    rule : Rule
    dtype, linker : str
    start, stop, step : int
        The bits of the numbers, for an equation of one variable; all of them by default.
    count : int
        How many pairs there are for an equation of two variables.
    room : float
        By how many units in the last place the right side may be worse than the left.
    """
    sides = Sides(rule, dtype, linker, room)
    result = Sweep()
    if len(sides.names) == 1:
        for part in numbers(dtype, start, stop, step):
            result.merge(sides.sweep(part))
    else:
        for x, y in pairs(dtype, count, start):
            result.merge(sides.sweep(x, y))
    return result
