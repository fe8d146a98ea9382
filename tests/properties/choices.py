"""What a step may take: its partners and its numbers, drawn to fit the value it is applied to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# a maker is called with the program being drawn and the value that the step is applied to
Maker = Callable[[Any, Any], Any]

DTYPES = {
    "b": ("bool",),
    "i": ("int8", "int16", "int32", "int64"),
    "u": ("uint8", "uint16", "uint32", "uint64"),
    "f": ("float64", "float32", "float64", "float32", "float16"),
    "c": ("complex128", "complex64"),
}


def dtype_of(ctx: Any, kinds: str) -> str:
    if kinds == "f64":
        return "float64"
    # complex numbers end most chains of functions: they come seldom
    letters = [k for k in kinds if k != "c" or len(kinds) == 1 or ctx.chance(15)]
    if "f" in letters and ctx.chance(35):
        letters = ["f"]
    return ctx.among(DTYPES[ctx.among(letters)])


def _of_kind(value: Any, kinds: str) -> bool:
    if kinds == "f64":
        return value.x.dtype == "float64"
    return value.x.dtype.kind in kinds


# ---- partners


def stretches(a: Any, v: Any) -> bool:
    """Whether the two broadcast by type: a length that is 1 by chance does not stretch."""
    pairs = zip(
        reversed(list(zip(a.x.shape, a.pattern, strict=True))),
        reversed(list(zip(v.x.shape, v.pattern, strict=True))),
        strict=False,
    )
    return all(m == n or (m == 1 and p) or (n == 1 and q) for (m, p), (n, q) in pairs)


def broadcasting(kinds: str) -> Maker:
    def make(ctx: Any, a: Any) -> Any:
        if ctx.chance(50):
            found = ctx.find(lambda v: _of_kind(v, kinds) and stretches(a, v))
            if found is not None:
                return found
        shape, pattern = [], []
        for n, flag in zip(a.x.shape, a.pattern, strict=True):
            choice = ctx.below(5)
            if choice == 0:
                shape.append(1)
                pattern.append(True)
            elif flag and choice < 3:
                shape.append(ctx.length())
                pattern.append(False)
            else:
                shape.append(n)
                pattern.append(flag)
        lost = ctx.below(len(shape) + 1) if ctx.chance(25) else 0
        shape, pattern = shape[lost:], pattern[lost:]
        if not lost and len(shape) < 3 and ctx.chance(20):
            shape, pattern = [ctx.length(), *shape], [False, *pattern]
        return ctx.leaf(dtype_of(ctx, kinds), tuple(shape), tuple(pattern))

    return make


def exponent(kinds: str) -> Maker:
    def make(ctx: Any, a: Any) -> Any:
        return ctx.leaf(dtype_of(ctx, kinds), (), (), np.asarray(ctx.below(4)))

    return make


def bound(value: int) -> Maker:
    def make(ctx: Any, a: Any) -> Any:
        value_ = abs(value) - 2 if a.x.dtype.kind == "u" else value
        return ctx.leaf(a.x.dtype.name, (), (), np.asarray(value_ + (value > 0) * ctx.below(2)))

    return make


def scalar(kinds: str) -> Maker:
    def make(ctx: Any, a: Any) -> Any:
        found = ctx.find(lambda v: v.x.ndim == 0 and _of_kind(v, kinds)) if ctx.chance(50) else None
        return found or ctx.leaf(dtype_of(ctx, kinds), ())

    return make


def scalar_like(ctx: Any, a: Any) -> Any:
    found = ctx.find(lambda v: v.x.ndim == 0 and v.x.dtype == a.x.dtype) if ctx.chance(40) else None
    return found or ctx.leaf(a.x.dtype.name, ())


def same(kinds: str) -> Maker:
    def make(ctx: Any, a: Any) -> Any:
        fits = lambda v: v.x.shape == a.x.shape and v.pattern == a.pattern and _of_kind(v, kinds)
        found = ctx.find(fits) if ctx.chance(50) else None
        return found or ctx.leaf(dtype_of(ctx, kinds), a.x.shape, a.pattern)

    return make


def same_type(ctx: Any, a: Any) -> Any:
    return ctx.leaf(a.x.dtype.name, a.x.shape, a.pattern)


def same_kind_of_any_shape(ctx: Any, a: Any) -> Any:
    found = ctx.find(lambda v: v.x.dtype == a.x.dtype)
    return found or ctx.leaf(a.x.dtype.name, (ctx.length(),))


def small_ints(ctx: Any, a: Any) -> Any:
    return ctx.leaf("int64", (ctx.length(),))


def vector(kinds: str) -> Maker:
    def make(ctx: Any, a: Any) -> Any:
        found = ctx.find(lambda v: v.x.ndim == 1 and _of_kind(v, kinds)) if ctx.chance(50) else None
        return found or ctx.leaf(dtype_of(ctx, kinds), (ctx.length(),))

    return make


def dottable(kinds: str) -> Maker:
    def make(ctx: Any, a: Any) -> Any:
        n = a.x.shape[-1]
        fits = lambda v: v.x.ndim in (1, 2) and v.x.shape[0] == n and _of_kind(v, kinds)
        found = ctx.find(fits) if ctx.chance(50) else None
        return found or ctx.leaf(dtype_of(ctx, kinds), (n, ctx.length())[: 1 + ctx.below(2)])

    return make


def columns(ctx: Any, a: Any) -> Any:
    return ctx.leaf(dtype_of(ctx, "f"), (a.x.shape[1], ctx.length()))


def left_of(ctx: Any, a: Any) -> Any:
    return ctx.leaf(dtype_of(ctx, "if"), (ctx.length(), a.x.shape[0])[ctx.below(2) :])


def along(kinds: str) -> Maker:
    def make(ctx: Any, a: Any) -> Any:
        n = a.x.shape[-1]
        fits = lambda v: 1 <= v.x.ndim <= 3 and v.x.shape[0] == n and _of_kind(v, kinds)
        found = ctx.find(fits) if ctx.chance(50) else None
        return found or ctx.leaf(dtype_of(ctx, kinds), (n, ctx.length()))

    return make


def batch(ctx: Any, a: Any) -> Any:
    n, _, k = a.x.shape
    fits = lambda v: v.x.ndim in (2, 3) and v.x.shape[:2] == (n, k) and _of_kind(v, "iufc")
    found = ctx.find(fits) if ctx.chance(50) else None
    return found or ctx.leaf(dtype_of(ctx, "iuf"), (n, k, ctx.length())[: 2 + ctx.below(2)])


def beside(kinds: str) -> Maker:
    """Something to join: of the same lengths, but for one axis."""

    def make(ctx: Any, a: Any) -> Any:
        axis = ctx.below(a.x.ndim)
        ctx.memo = repr(axis - a.x.ndim * ctx.below(2))
        shape, pattern = list(a.x.shape), list(a.pattern)
        shape[axis], pattern[axis] = ctx.length(), False
        cut = lambda x: x.shape[:axis] + x.shape[axis + 1 :]
        fits = lambda v: v.x.ndim == a.x.ndim and cut(v.x) == cut(a.x) and _of_kind(v, kinds)
        found = ctx.find(fits) if ctx.chance(50) else None
        return found or ctx.leaf(dtype_of(ctx, kinds), tuple(shape), tuple(pattern))

    return make


def join_axis(ctx: Any, a: Any) -> str:
    return ctx.memo


def indices_at(axis: int, shape: tuple[int, ...] | None = None) -> Maker:
    """Integers that are positions along an axis, from either end."""

    def make(ctx: Any, a: Any) -> Any:
        n = a.x.shape[axis]
        fits = lambda v: (
            v.x.dtype.kind in "iu"
            and 1 <= v.x.ndim <= 2
            and (shape is None or v.x.shape == shape)
            and (v.x.size == 0 or (-n <= v.x.min() and v.x.max() < n))
        )
        found = ctx.find(fits) if ctx.chance(60) else None
        if found:
            return found
        lengths = shape or (ctx.length(), 2)[: 1 + ctx.chance(20)]
        if n == 0:
            lengths = (0,) * len(lengths)
        dtype = ctx.among(("int64", "int32", "int8", "uint8"))
        low = 0 if dtype == "uint8" else -n
        return ctx.leaf(dtype, lengths, None, ctx.rng.integers(low, max(n, low + 1), lengths))

    return make


indices = indices_at(0)


def mask(ctx: Any, a: Any) -> Any:
    rank = 1 + ctx.below(a.x.ndim)
    fits = lambda v: v.x.dtype == bool and v.x.shape == a.x.shape[:rank]
    return ctx.find(fits) or ctx.leaf("bool", a.x.shape[:rank], (False,) * rank)


def mask_along(ctx: Any, a: Any) -> Any:
    return ctx.leaf("bool", a.x.shape[:1], (False,))


def counts_along(ctx: Any, a: Any) -> Any:
    return ctx.leaf("int64", a.x.shape[:1], (False,), ctx.rng.integers(0, 3, a.x.shape[:1]))


# ---- numbers, as source text that both forms read


def axis(ctx: Any, a: Any) -> str:
    return repr(ctx.below(a.x.ndim) - a.x.ndim * ctx.chance(30))


def plain_axis(ctx: Any, a: Any) -> str:
    return repr(ctx.below(a.x.ndim))


def first_axis(ctx: Any, a: Any) -> str:
    return "0"


def last_axis(ctx: Any, a: Any) -> str:
    return repr(a.x.ndim - 1)


def new_axis(ctx: Any, a: Any) -> str:
    return repr(ctx.below(a.x.ndim + 1))


def axes(ctx: Any, a: Any) -> str:
    choice = ctx.below(4)
    if choice == 0:
        return "None"
    if choice < 3 or a.x.ndim < 2:
        return axis(ctx, a)
    return repr(tuple(sorted(ctx.permutation(a.x.ndim)[:2])))


def truth(ctx: Any, a: Any) -> str:
    return repr(bool(ctx.below(2)))


def permutation(ctx: Any, a: Any) -> str:
    return repr(tuple(ctx.permutation(a.x.ndim)))


def dims(ctx: Any, a: Any) -> str:
    order: list[Any] = ctx.permutation(a.x.ndim)
    order = [d for d in order if not (a.pattern[d] and ctx.chance(50))]
    while len(order) < 4 and ctx.chance(35):
        order.insert(ctx.below(len(order) + 1), "x")
    return repr(tuple(order))


def new_shape(ctx: Any, a: Any) -> str:
    rest, lengths = a.x.size, []
    for _ in range(ctx.below(3)):
        if rest:
            lengths.append(ctx.among([d for d in range(1, rest + 1) if rest % d == 0][:6]))
            rest //= lengths[-1]
        else:
            lengths.append(ctx.length())
    lengths.append(rest)
    if len(lengths) == 1 and a.x.size == 1 and ctx.chance(30):
        lengths = []
    texts = [ctx.integer(n) for n in lengths]
    if texts and a.x.size and ctx.chance(30):
        texts[ctx.below(len(texts))] = "-1"
    return "(" + "".join(t + ", " for t in texts) + ")"


def outdim(ctx: Any, a: Any) -> str:
    return repr(1 + ctx.below(a.x.ndim))


def size(ctx: Any, a: Any) -> str:
    return ctx.integer(ctx.length())


def count(ctx: Any, a: Any) -> str:
    return ctx.integer(ctx.below(4))


def shift(ctx: Any, a: Any) -> str:
    return ctx.integer(ctx.below(9) - 4)


def stride(ctx: Any, a: Any) -> str:
    return ctx.integer(ctx.among((1, 2, 3, -1, -2)))


def offset(ctx: Any, a: Any) -> str:
    return repr(ctx.below(3) - 1)


def some_of_last(ctx: Any, a: Any) -> str:
    return repr(1 + ctx.below(a.x.shape[-1]))


def reps(ctx: Any, a: Any) -> str:
    return "(" + "".join(f"{1 + ctx.below(2)}, " for _ in range(a.x.ndim)) + ")"


def halves(ctx: Any, a: Any) -> str:
    axis_ = ctx.below(a.x.ndim)
    ctx.memo = repr(axis_)
    n = a.x.shape[axis_]
    first = ctx.below(n + 1)
    return f"[{ctx.integer(first)}, {ctx.integer(n - first)}]"


def split_axis(ctx: Any, a: Any) -> str:
    return ctx.memo


def _part(ctx: Any, n: int) -> str:
    choice = ctx.below(10)
    if choice < 3:
        return ":"
    if choice < 5 and n:
        return ctx.integer(ctx.below(2 * n) - n)
    # bounds outside the array are cut, as Python cuts them
    bounds = [ctx.integer(ctx.below(2 * n + 5) - n - 2) if ctx.chance(60) else "" for _ in "ab"]
    step = ctx.integer(ctx.among((1, 2, -1, -2))) if ctx.chance(40) else ""
    return f"{bounds[0]}:{bounds[1]}:{step}"


def index(ctx: Any, a: Any) -> str:
    parts = [_part(ctx, n) for n in a.x.shape[: 1 + ctx.below(a.x.ndim)]]
    if len(parts) < a.x.ndim and ctx.chance(20):
        parts = ["...", *[_part(ctx, n) for n in a.x.shape[a.x.ndim - len(parts) :]]]
    return ", ".join(parts)


# ---- conditions


def fits(dtype: str) -> Callable[[Any], bool]:
    """Whether a cast is defined: floats outside an integer dtype have no value there.

    Floats within a few units in the last place of an integer are left out too: there the engines'
    last bits decide.
    """

    def check(x: Any) -> bool:
        if x.dtype.kind != "f" or dtype == "bool" or not x.size:
            return True
        info = np.iinfo(dtype)
        if not (float(x.min()) > info.min - 1 and float(x.max()) < info.max / 2):
            return False
        near = np.abs(x - np.rint(x))
        unit = np.finfo(x.dtype).eps * np.maximum(1, np.abs(x))
        return not np.any((near > 0) & (near < 64 * unit))

    return check
