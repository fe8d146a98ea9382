"""Arrays with what is known of their rounding: what a program means, in NumPy and nothing else.

Floats are computed wider than their dtype (float64 for 16 and 32 bits, extended precision for 64),
and beside each element stands a bound of how far a right evaluation in the dtype itself may be from
it, carried from operation to operation. Integers and bools are computed as they are, and wrap.

Where rounding would decide something discrete (a comparison, a cast to an integer, the order of a
sort), or where the rules of types would (a length that is 1 by chance), the answer is `Undecided`:
such a step is not drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

WIDE = {
    "float16": np.dtype("float64"),
    "float32": np.dtype("float64"),
    "float64": np.dtype("longdouble"),
    "complex64": np.dtype("complex128"),
    "complex128": np.dtype("clongdouble"),
}
REAL = {"complex64": "float32", "complex128": "float64"}
EPS = {d: float(np.finfo(d).eps) for d in ("float16", "float32", "float64")}
EPS |= {c: EPS[r] for c, r in REAL.items()}
#: what sums are accumulated in
ACCUMULATED = {"float16": "float32", "float32": "float64", "complex64": "complex128"}

#: Rewriting takes operations in other orders and other forms than they are written, so the bound of
#: the written order is granted several times over.
SLACK = 8.0
#: the largest part of 1 + |value| that a bound may take before nothing would be learned from it
LARGEST_BOUND = {"float16": 0.04, "float32": 1e-3, "float64": 1e-9}
LARGEST_BOUND |= {c: LARGEST_BOUND[r] for c, r in REAL.items()}
LARGEST = {"float16": 500.0}  # values are kept below; 1e4 for the other dtypes
#: the most elements of one value
MOST_ITEMS = 4_000_000
TINY = {d: 64 * float(np.finfo(d).tiny) for d in ("float16", "float32", "float64")}
TINY |= {c: TINY[r] for c, r in REAL.items()}


class Undecided(Exception):
    """Rounding, or a rule of types, decides what comes out: nothing to compare with."""


class _Settings:
    """How values are computed just now."""

    #: whether derivatives are measured: inputs must keep away from the corners of functions
    smooth = False


SETTINGS = _Settings()


def kind_of(dtype: str) -> str:
    return np.dtype(dtype).kind


def is_float(dtype: str) -> bool:
    return dtype in WIDE


class Num:
    """An array of a dtype, wide, with its bound; ``ones`` says which lengths are 1 by type."""

    __slots__ = ("dtype", "err", "ones", "origin", "x")

    def __init__(
        self,
        x: Any,
        dtype: str,
        err: Any = None,
        ones: Sequence[bool] | None = None,
        origin: Any = None,
    ) -> None:
        self.x, self.dtype, self.err, self.origin = x, dtype, err, origin
        self.ones = (False,) * x.ndim if ones is None else tuple(ones)

    # ---- what programs ask of a variable

    @property
    def ndim(self) -> int:
        return self.x.ndim

    @property
    def shape(self) -> Shape:
        return Shape(self.x.shape)

    def __index__(self) -> int:
        if self.x.ndim or kind_of(self.dtype) not in "iu":
            raise TypeError("not an integer")
        return int(self.x)

    __int__ = __index__

    def moved(self, f: Callable[[Any], Any], ones: Sequence[bool] | None = None) -> Num:
        """Elements taken to other places, or left out, or repeated."""
        err = None if self.err is None else np.asarray(f(self.err))
        return Num(np.asarray(f(self.x)), self.dtype, err, ones)

    def bound(self) -> Any:
        return np.zeros(self.x.shape) if self.err is None else self.err

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("a Num is not an array: use its x")


class Shape(tuple):
    """Lengths: an int64 where one is asked for, a tuple where all are."""

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return Shape(tuple(self)[at])
        return Num(np.asarray(tuple(self)[at]), "int64")


def leaf(value: Any, ones: Sequence[bool], err: Any = None) -> Num:
    dtype = value.dtype.name
    return Num(value.astype(WIDE.get(dtype, value.dtype)), dtype, err, ones)


# ---- rounding


def few_bits(x: Any, dtype: str) -> bool:
    """Whether sums and products of such elements are exact, in any order."""
    if dtype == "float16":
        return False
    if kind_of(dtype) == "c":
        return few_bits(x.real, REAL[dtype]) and few_bits(x.imag, REAL[dtype])
    scaled = x * 1024
    return bool(np.all(np.abs(scaled) < 2**20) and np.all(scaled == np.rint(scaled)))


def made(
    x: Any,
    dtype: str,
    err: Any = None,
    ulps: float = 0.0,
    exact: bool = False,
    ones: Sequence[bool] | None = None,
    odd: bool = False,
) -> Num:
    """A result: its wide value, the bound that comes from operands, and its own rounding.

    ``exact``: the operation is exact where operands and result have few bits.
    ``odd``: infinities and NaN may be among the elements.
    """
    x = np.asarray(x)
    if not is_float(dtype):
        return Num(x.astype(dtype, copy=False), dtype, None, ones)
    x = x.astype(WIDE[dtype], copy=False)
    size = np.abs(x).astype("float64")
    if odd:
        size = np.where(np.isfinite(size), size, 0)
    if not np.all(size < LARGEST.get(dtype, 1e4)):  # NaN is not
        raise Undecided("not finite, or large")
    if np.any((size > 0) & (size < TINY[dtype])):
        raise Undecided("so small that XLA takes it for zero")
    if ulps and not (exact and err is None and few_bits(x, dtype)):
        own = ulps * EPS[dtype] * size
        err = own if err is None else err + own
    if err is not None:
        err = np.broadcast_to(np.asarray(err, "float64"), x.shape)
        if not np.any(err):
            err = None
        elif not SETTINGS.smooth and np.any(err > LARGEST_BOUND[dtype] * (1 + size)):
            raise Undecided("too much rounding")
    return Num(x, dtype, err, ones)


def decided(distance: Any, *bounds: Any) -> None:
    """Whether a sign is known: elements that are exact may be zero."""
    margin = sum((b for b in bounds if b is not None), start=np.zeros(()))
    if np.any((np.abs(distance) <= SLACK * margin) & (margin > 0)):
        raise Undecided("rounding decides")


def stretched(*nums: Num) -> tuple[bool, ...]:
    """The flags of operands that broadcast, by type: a length that is 1 by chance does not."""
    rank = max(n.x.ndim for n in nums)
    flags = []
    for d in range(1, rank + 1):
        present = [(n.x.shape[-d], n.ones[-d]) for n in nums if n.x.ndim >= d]
        longest = {length for length, one in present if not one}
        if len(longest) > 1:
            if 1 in longest:
                raise Undecided("a length is 1 by chance")
            raise ValueError(f"lengths {sorted(longest)} meet")
        flags.append(not longest)
    return tuple(reversed(flags))


def as_num(value: Any) -> Num:
    """A variable, or a number written in the program."""
    if isinstance(value, Num):
        return value
    if isinstance(value, bool | np.bool_):
        return leaf(np.asarray(bool(value)), ())
    if isinstance(value, int):
        dtype = next(d for d in ("int8", "int16", "int32", "int64") if _holds(d, value))
        return leaf(np.asarray(value, dtype), ())
    if isinstance(value, float):
        narrow = float(np.float32(value)) == value
        return leaf(np.asarray(value, "float32" if narrow else "float64"), ())
    raise TypeError(f"{type(value).__name__} is no operand")


def _holds(dtype: str, value: int) -> bool:
    return bool(np.iinfo(dtype).min <= value <= np.iinfo(dtype).max)


def common(*dtypes: str) -> str:
    return np.result_type(*dtypes).name


def floating(dtype: str) -> str:
    """The dtype of exp(x): float32 for discrete numbers up to 16 bits, float64 beyond."""
    if is_float(dtype):
        return dtype
    return "float32" if np.dtype(dtype).itemsize <= 2 else "float64"


def cast(n: Num, dtype: str, odd: bool = False) -> Num:
    if dtype == n.dtype:
        return n
    kind, was = kind_of(dtype), kind_of(n.dtype)
    if kind in "fc":
        if was == "c" and kind != "c":
            raise TypeError("complex numbers have no real form")
        x = n.x.astype(WIDE[dtype])
        narrower = not np.can_cast(n.dtype, dtype)
        return made(x, dtype, n.err, 1.0 if narrower else 0.0, True, n.ones, odd)
    if was == "c":
        raise TypeError("complex numbers are no integers")
    if was == "f":
        if dtype == "bool":
            decided(n.x, n.err)
            return Num(n.x != 0, dtype, None, n.ones)
        info = np.iinfo(dtype)
        inside = (n.x > info.min - 1) & (n.x < info.max / 2)
        if not np.all(inside):  # NaN is nowhere
            raise Undecided("outside the integer dtype")
        if n.err is not None:  # both sides of zero are cut off to zero
            near = np.rint(n.x)
            decided(np.where(near == 0, 1, n.x - near), n.err)
        return Num(np.trunc(n.x).astype(dtype), dtype, None, n.ones)
    with np.errstate(all="ignore"):
        return Num(n.x.astype(dtype), dtype, None, n.ones)


# ---- elementwise


def elementwise(
    f: Callable[..., Any],
    *args: Any,
    dtype: str | None = None,
    ulps: float = 0.0,
    exact: bool = False,
    err: Callable[..., Any] | None = None,
) -> Num:
    """f of each element; its bound by a formula, or from f at the ends of the operands' bounds."""
    nums = [as_num(a) for a in args]
    ones = stretched(*nums)
    dtype = dtype or common(*(n.dtype for n in nums))
    if not is_float(dtype):
        with np.errstate(all="ignore"):
            return made(f(*(n.x.astype(dtype) for n in nums)), dtype, ones=ones)
    xs = [n.x.astype(WIDE[common(n.dtype, dtype)]) for n in nums]
    with np.errstate(all="ignore"):
        x = np.asarray(f(*xs))
        own = None
        if any(n.err is not None for n in nums):
            bounds = [n.bound() for n in nums]
            own = err(x, xs, bounds) if err else _at_the_ends(f, x, xs, nums)
    if own is not None and not np.all(np.isfinite(own)):
        raise Undecided("the bound is not finite")
    return made(x, dtype, own, ulps, exact, ones)


def _at_the_ends(f: Callable[..., Any], x: Any, xs: list[Any], nums: list[Num]) -> Any:
    total = np.zeros(x.shape)
    for i, n in enumerate(nums):
        if n.err is not None:
            sides = [np.abs(f(*xs[:i], xs[i] + s * n.err, *xs[i + 1 :]) - x) for s in (-1, 1)]
            total = total + np.maximum(*sides).astype("float64")
    return total


def compare(f: Callable[..., Any], a: Any, b: Any) -> Num:
    a, b = as_num(a), as_num(b)
    ones = stretched(a, b)
    dtype = common(a.dtype, b.dtype)
    if not is_float(dtype):
        return Num(np.asarray(f(a.x.astype(dtype), b.x.astype(dtype))), "bool", None, ones)
    p, q = (n.x.astype(WIDE[dtype]) for n in (a, b))
    if a.err is not None or b.err is not None or SETTINGS.smooth:
        decided(p - q, a.bound(), b.bound())
    return Num(np.asarray(f(p, q)), "bool", None, ones)


def extreme(f: Callable[..., Any], a: Any, b: Any) -> Num:
    """The larger or the smaller: as far off as the operand that is further off."""
    a, b = as_num(a), as_num(b)
    if SETTINGS.smooth and is_float(common(a.dtype, b.dtype)):
        decided(a.x - b.x, a.bound(), b.bound())
    return elementwise(f, a, b, err=lambda x, xs, e: np.maximum(*np.broadcast_arrays(*e)))


def choose(condition: Any, a: Any, b: Any) -> Num:
    """switch: elements of a where the condition holds, of b elsewhere."""
    c, a, b = as_num(condition), as_num(a), as_num(b)
    ones = stretched(c, a, b)
    if is_float(c.dtype):
        decided(c.x, c.err)
    dtype = common(a.dtype, b.dtype)
    p, q = cast(a, dtype), cast(b, dtype)
    err = None
    if p.err is not None or q.err is not None:
        err = np.where(c.x != 0, p.bound(), q.bound())
    return Num(np.where(c.x != 0, p.x, q.x), dtype, err, ones)


# ---- sums and products


def _axes(n: Num, axis: Any) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(n.x.ndim))
    axis = axis if isinstance(axis, tuple | list) else (axis,)
    return tuple(int(a) % n.x.ndim for a in axis)


def kept(n: Num, axis: Any, keepdims: bool) -> tuple[bool, ...]:
    """The flags after a reduction."""
    gone = _axes(n, axis)
    if keepdims:
        return tuple(d in gone or one for d, one in enumerate(n.ones))
    return tuple(one for d, one in enumerate(n.ones) if d not in gone)


def total(n: Num, axis: Any = None, keepdims: bool = False, dtype: str | None = None) -> Num:
    gone = _axes(n, axis)
    over = {"axis": gone, "keepdims": keepdims}
    ones = kept(n, axis, keepdims)
    if not is_float(n.dtype):
        to = "uint64" if kind_of(n.dtype) == "u" else "int64"
        if dtype is not None:
            return total(cast(n, dtype), axis, keepdims)
        return Num(np.asarray(np.sum(n.x, dtype=to, **over)), to, None, ones)
    dtype = dtype or n.dtype
    size = np.sum(np.abs(n.x), **over).astype("float64")
    x = np.sum(n.x, **over)
    count = int(np.prod([n.x.shape[d] for d in gone], dtype=int))
    if n.err is None and few_bits(n.x, n.dtype) and few_bits(size, "float64"):
        return made(x, dtype, None, 1.0, True, ones)
    eps = min(EPS[ACCUMULATED.get(n.dtype, n.dtype)], EPS[dtype])
    err = count * eps * size + (0 if n.err is None else np.sum(n.err, **over))
    return made(x, dtype, err, 1.0, ones=ones)


def product(n: Num, axis: Any = None, keepdims: bool = False) -> Num:
    gone = _axes(n, axis)
    over = {"axis": gone, "keepdims": keepdims}
    ones = kept(n, axis, keepdims)
    if not is_float(n.dtype):
        to = "uint64" if kind_of(n.dtype) == "u" else "int64"
        with np.errstate(all="ignore"):
            return Num(np.asarray(np.prod(n.x, dtype=to, **over)), to, None, ones)
    x = np.prod(n.x, **over)
    size = np.abs(n.x)
    count = int(np.prod([n.x.shape[d] for d in gone], dtype=int))
    eps = EPS[n.dtype]
    err = np.prod(size * (1 + 2 * eps) + n.bound(), **over) - np.prod(size, **over)
    return made(x, n.dtype, np.abs(err).astype("float64"), 1.0 + count, ones=ones)


def dot(a: Num, b: Num, f: Callable[[Any, Any], Any] = np.dot, count: int | None = None) -> Num:
    """A product that sums along an axis, by ``f``."""
    dtype = common(a.dtype, b.dtype)
    if not is_float(dtype):
        with np.errstate(all="ignore"):
            return Num(np.asarray(f(a.x.astype(dtype), b.x.astype(dtype))), dtype)
    p, q = (n.x.astype(WIDE[dtype]) for n in (a, b))
    x = np.asarray(f(p, q))
    size = np.asarray(f(np.abs(p), np.abs(q))).astype("float64")
    if a.err is None and b.err is None and all(few_bits(v, dtype) for v in (p, q, size)):
        return made(x, dtype, None, 1.0, True)
    count = a.x.shape[-1] if count is None else count
    big, small = np.abs(p).astype("float64"), np.abs(q).astype("float64")
    err = f(big, b.bound()) + f(a.bound(), small) + f(a.bound(), b.bound())
    return made(x, dtype, np.asarray(err) + (count + 1) * EPS[dtype] * size, 1.0)
