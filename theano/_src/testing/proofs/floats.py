"""Both sides of an equation on every number of a dtype, and a float64 reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from theano._src.compile.function import function
from theano._src.compile.mode import Mode
from theano._src.graph.graph import Variable
from theano._src.rewrite.pattern import build
from theano._src.rewrite.rule import Rule
from theano._src.types.tensor import tensor_type

#: the integers with as many bits, and how many numbers there are
BITS = {"float16": (np.uint16, 1 << 16), "float32": (np.uint32, 1 << 32)}
#: numbers of a chunk: its arrays stay in the cache
_CHUNK = 1 << 16


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


class Truth:
    """The reference on an array of numbers, in units in the last place of a dtype.

    Parameters
    ----------
    inputs : tuple of arrays
    truth : array of float64
    flushes : bool
        Whether there are no subnormal numbers: XLA takes them as 0, and gives 0 for them.
    """

    def __init__(self, inputs: Sequence[np.ndarray], truth: np.ndarray, flushes: bool) -> None:
        self.inputs, self.truth, self.flushes = inputs, truth, flushes
        self.dtype = inputs[0].dtype
        with np.errstate(all="ignore"):
            self.rounded = truth.astype(self.dtype)
        self.known: Any = True
        if flushes:
            normal = np.finfo(self.dtype).smallest_normal
            for x in filter(self._has_small, inputs):
                self.known = self.known & ((x == 0) | (np.abs(x) >= normal))

    def _has_small(self, x: np.ndarray) -> bool:
        """Whether there may be numbers below the smallest normal one; NaN is not greater."""
        return not np.abs(x).min() >= np.finfo(self.dtype).smallest_normal

    @cached_property
    def scale(self) -> np.ndarray:
        """The inverse of each number's unit."""
        return _scale(self.rounded, self.flushes)

    def spared(self, old: np.ndarray, new: np.ndarray, room: float, seen: Sweep) -> Sweep | None:
        """Return a result that adds no errors to ``seen``; None if it takes a comparison."""
        bound = self._bound(new)
        if bound > 0.5 and bound > min(seen.new, seen.most, room):
            return None
        # the rounded reference is no worse than any other number
        if bound == 0.5 and seen.new < 0.5 and not self._is_exact:
            return None
        bound = self._bound(old)
        if bound <= seen.old or (bound == 0.5 and self._is_exact):
            return Sweep(old.size)
        if bound == np.inf and not np.isfinite(old).any() and np.isfinite(new).all():
            return Sweep(old.size, gained=old.size)
        return None

    def _bound(self, side: np.ndarray) -> float:
        """Return a bound of the error in units, by how many numbers lie between at most."""
        bits = f"i{self.dtype.itemsize}"
        between = side.view(bits) - self.rounded.view(bits)
        most = max(int(between.max()), -int(between.min()))
        if most == 0:
            return 0.5
        is_near = most < 1 << (np.finfo(self.dtype).nmant - 1)
        if not is_near or not (np.isfinite(side).all() and np.isfinite(self.rounded).all()):
            return np.inf
        # numbers above the next power of 2 are two units apart
        return 2 * most + 0.5

    @cached_property
    def _is_exact(self) -> bool:
        return np.array_equal(self.rounded, self.truth)

    def without_subnormal(self) -> Truth:
        """Return the reference for an engine without subnormal numbers; this one if none occur."""
        if self.flushes or not any(map(self._has_small, (*self.inputs, self.rounded))):
            return self
        return Truth(self.inputs, self.truth, True)

    def error(self, side: np.ndarray) -> np.ndarray:
        """Return the distance of a side in units; NaN and infinite where numbers are not finite."""
        with np.errstate(all="ignore"):
            error = side.astype("float64")
            error -= self.truth
            np.abs(error, out=error)
            if error.max() != 0:
                error *= self.scale
        return error

    def compare(
        self, old: np.ndarray, new: np.ndarray, room: float, error_new: np.ndarray | None = None
    ) -> Sweep:
        """Compare both sides; ``error_new`` is the error of ``new``, if it is known."""
        if self.known is True:
            if np.isnan(self.truth[0]) and np.isnan(self.truth).all():
                gained = np.count_nonzero(np.isfinite(new) & ~np.isfinite(old))
                return Sweep(old.size, gained=int(gained))
            if np.isinf(self.rounded[0]) and _all_equal(self.rounded[0], self.rounded, old, new):
                return Sweep(old.size)
            error_new = self.error(new) if error_new is None else error_new
            largest = error_new.max()
            if np.isfinite(largest):
                return self._compare_finite(old, new, room, error_new, float(largest))
        return self._compare_any(old, new, room)

    def _compare_finite(
        self, old: np.ndarray, new: np.ndarray, room: float, error_new: np.ndarray, largest: float
    ) -> Sweep:
        """The truth and the right side are finite: nothing is missing."""
        if old is new or np.array_equal(old, new):
            return Sweep(old.size, largest, largest)
        error = self.error(old)
        largest_old, gained = float(error.max()), 0
        if not np.isfinite(largest_old):
            is_old = np.isfinite(old)
            error[~is_old] = np.inf
            gained = int(old.size - np.count_nonzero(is_old))
            largest_old = _largest(error[is_old])
        excess = np.subtract(error_new, error, out=error)
        most = float(excess.max())
        where: tuple[float, ...] = ()
        if most > 0:
            at = int(excess.argmax())
            where = tuple(float(x[at]) for x in self.inputs)
        worse = int(np.count_nonzero(excess > room)) if most > room else 0
        return Sweep(old.size, largest_old, largest, worse, max(most, 0.0), 0, gained, where)

    def _compare_any(self, old: np.ndarray, new: np.ndarray, room: float) -> Sweep:
        error_old, error_new = (self._bounded_error(side) for side in (old, new))
        known = self.known & ~np.isnan(self.truth)
        is_old, is_new = np.isfinite(old), np.isfinite(new)
        missing = known & is_old & ~is_new & np.isfinite(self.rounded)
        both = known & (is_new | np.isinf(self.rounded))
        with np.errstate(invalid="ignore"):
            excess = np.where(both & ~missing, error_new - error_old, 0.0)
        excess[np.isnan(excess)] = 0.0
        at = int(np.argmax(excess))
        first = int(np.argmax(missing))
        return Sweep(
            count=old.size,
            old=_largest(error_old[known & is_old]),
            new=_largest(error_new[both & is_new]),
            worse=int(np.count_nonzero(excess > room)),
            most=float(excess[at]),
            missing=int(np.count_nonzero(missing)),
            gained=int(np.count_nonzero(is_new & ~is_old)),
            where=tuple(float(x[at]) for x in self.inputs) if excess[at] > 0 else (),
            missing_where=tuple(float(x[first]) for x in self.inputs) if missing[first] else (),
        )

    def _bounded_error(self, side: np.ndarray) -> np.ndarray:
        """Units in the last place; infinite where a side has no number and the reference does."""
        error = self.error(side)
        same = side == self.rounded
        error[same] = np.fmin(error[same], 0.5)
        error[np.isnan(error)] = np.inf
        return error


#: where a float64 has its exponent
_EXPONENT = np.uint64(0x7FF << 52)


def _scale(rounded: np.ndarray, flushes: bool) -> np.ndarray:
    """Return the inverse of the unit in the last place of each number, which is a power of 2."""
    limits = np.finfo(rounded.dtype)
    exponents = rounded.astype("float64").view("uint64")
    exponents &= _EXPONENT
    # the unit of a number is its power of 2 times eps
    least = float(limits.smallest_normal) / (float(limits.eps) if flushes else 1.0)
    np.maximum(exponents, np.float64(least).view("uint64"), out=exponents)
    largest = np.ldexp(1.0, limits.maxexp - 1)
    np.minimum(exponents, np.float64(largest).view("uint64"), out=exponents)
    # exponents are stored with 1023 added to them
    inverse = np.uint64((2 * 1023 + limits.nmant) << 52)
    result: np.ndarray = np.subtract(inverse, exponents, out=exponents).view("float64")
    return result


def _all_equal(number: Any, *arrays: np.ndarray) -> bool:
    return all(bool((a == number).all()) for a in arrays)


class Sides:
    """The two sides of equations and the reference, as functions of arrays.

    A side that several equations have is computed once, and the reference of each right side too.

    Parameters
    ----------
    rules : list of Rule
        Equations of the same variables.
    dtype : str
        ``"float16"`` or ``"float32"``.
    linkers : tuple of str
        The engines.
    """

    def __init__(
        self, rules: Sequence[Rule], dtype: str = "float32", linkers: Sequence[str] = ("numpy",)
    ) -> None:
        self.dtype, self.linkers = np.dtype(dtype), linkers
        self.names = [h.name for h in rules[0].lhs.holes()]
        self._named = [(r, repr(r.lhs), repr(r.rhs)) for r in rules]
        sides = {k: s for r, lhs, rhs in self._named for k, s in ((lhs, r.lhs), (rhs, r.rhs))}
        truths = {rhs: r.rhs for r, _, rhs in self._named}
        self._truths = _compiled(self.names, truths, "float64", "numpy")
        self._sides = {k: _compiled(self.names, sides, dtype, k) for k in linkers}

    def reference(self, *inputs: np.ndarray) -> dict[str, np.ndarray]:
        """Return the right sides in float64."""
        with np.errstate(all="ignore"):
            truths: dict[str, np.ndarray] = self._truths(*(x.astype("float64") for x in inputs))
        return truths

    def sweep(
        self, *inputs: np.ndarray, seen: Mapping[tuple[str, str], Sweep] | None = None
    ) -> dict[tuple[str, str], Sweep]:
        """Compare the sides on arrays of numbers; the result is by name of the rule and engine.

        Errors may be left out that are not larger than those of ``seen``.
        """
        truths = {k: Truth(inputs, v, False) for k, v in self.reference(*inputs).items()}
        results: dict[tuple[str, str], Sweep] = {}
        first: tuple[str, dict[str, Truth], dict[str, np.ndarray]] | None = None
        for linker in self.linkers:
            # XLA's float32 has no subnormal numbers
            flushes = linker == "xla" and self.dtype == "float32"
            with np.errstate(all="ignore"):
                values = self._sides[linker](*inputs)
            known = {k: t.without_subnormal() if flushes else t for k, t in truths.items()}
            if first is None:
                first, same = (linker, known, values), set()
            else:
                same = {k for k, v in values.items() if np.array_equal(v, first[2][k])}
            errors: dict[str, np.ndarray] = {}
            for rule, left, right in self._named:
                truth = known[right]
                if {left, right} <= same and truth is first[1][right]:
                    results[rule.name, linker] = replace(results[rule.name, first[0]])
                    continue
                if seen is not None:
                    at = rule.name, linker
                    spared = truth.spared(values[left], values[right], rule.ulp, seen[at])
                    if spared is not None:
                        results[at] = spared
                        continue
                if right not in errors:
                    errors[right] = truth.error(values[right])
                results[rule.name, linker] = truth.compare(
                    values[left], values[right], rule.ulp, errors[right]
                )
        return results


def _compiled(names: Sequence[str], sides: dict[str, Any], dtype: str, linker: str) -> Any:
    """Return a function from arrays to the value of each side."""
    leaves: dict[str, Variable] = {n: tensor_type(dtype, (False,))(n) for n in names}
    inputs = list(leaves.values())
    # on NumPy, equal parts of several sides are computed once
    lots = [list(sides)] if linker == "numpy" else [[k] for k in sides]
    mode = Mode(linker=linker, optimizer="merge")
    functions = [
        function(inputs, [build(sides[k], leaves) for k in lot], mode, on_unused_input="ignore")
        for lot in lots
    ]

    def run(*arrays: np.ndarray) -> dict[str, np.ndarray]:
        results: dict[str, np.ndarray] = {}
        for lot, compiled in zip(lots, functions, strict=True):
            results.update(zip(lot, map(np.asarray, compiled(*arrays)), strict=True))
        return results

    return run


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
    places = np.arange(_CHUNK) * step
    for first in range(start, stop, _CHUNK * step):
        count = min(_CHUNK, -((first - stop) // step))
        yield (places[:count] + first).astype(bits).view(dtype)


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
    """
    sides = Sides([rule], dtype, [linker])
    result = Sweep()
    for inputs in inputs_of(rule, dtype, start, stop, step, count):
        result.merge(sides.sweep(*inputs)[rule.name, linker])
    return result


def inputs_of(
    rule: Rule, dtype: str, start: int, stop: int | None, step: int, count: int
) -> Iterator[Any]:
    """Yield the numbers or the pairs on which an equation is tried."""
    if len(rule.lhs.holes()) == 1:
        return ((x,) for x in numbers(dtype, start, stop, step))
    return pairs(dtype, count, start)
