"""The language that programs are drawn in, once more, for `Num`: what each name means in NumPy.

A program is source text. Run with ``theano`` it builds a graph; run with the names of `NAMES` it
computes what the graph has to give. Nothing here imports Theano.
"""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.properties.programs import numbers as nb
from tests.properties.programs.looping import scan, until
from tests.properties.programs.numbers import Num, Undecided, as_num, elementwise, is_float

# ---- operators


def _sum_err(x: Any, xs: Any, e: Any) -> Any:
    return e[0] + e[1]


def _product_err(x: Any, xs: Any, e: Any) -> Any:
    p, q = (np.abs(v).astype("float64") for v in xs)
    return p * e[1] + q * e[0] + e[0] * e[1]


def add(a: Any, b: Any) -> Num:
    return elementwise(np.add, a, b, ulps=1, exact=True, err=_sum_err)


def sub(a: Any, b: Any) -> Num:
    return elementwise(np.subtract, a, b, ulps=1, exact=True, err=_sum_err)


def mul(a: Any, b: Any) -> Num:
    return elementwise(np.multiply, a, b, ulps=1, exact=True, err=_product_err)


def true_div(a: Any, b: Any) -> Num:
    a, b = as_num(a), as_num(b)
    dtype = nb.common(a.dtype, b.dtype)
    if is_float(dtype):
        _away_from_zero(b)
    return elementwise(np.true_divide, a, b, dtype=dtype if is_float(dtype) else "float64", ulps=2)


def _away_from_zero(n: Num) -> None:
    if np.any(np.abs(n.x) <= 16 * n.bound()):
        raise Undecided("a divisor is about zero")


def int_div(a: Any, b: Any) -> Num:
    a, b = as_num(a), as_num(b)
    _away_from_zero(b)
    dtype = nb.common(a.dtype, b.dtype)
    if not is_float(dtype):
        return elementwise(np.floor_divide, a, b)
    return floor(true_div(a, b))


def mod(a: Any, b: Any) -> Num:
    a, b = as_num(a), as_num(b)
    _away_from_zero(b)
    if not is_float(nb.common(a.dtype, b.dtype)):
        return elementwise(np.mod, a, b)
    return sub(a, mul(int_div(a, b), b))


def power(a: Any, b: Any) -> Num:
    a, b = as_num(a), as_num(b)
    if not is_float(nb.common(a.dtype, b.dtype)):
        if np.any(b.x < 0):
            raise ValueError("integers to negative powers")
        return elementwise(np.power, a, b)
    return elementwise(np.power, a, b, ulps=8)


def floor(a: Num) -> Num:
    return _stepped(np.floor, a)


def _stepped(f: Any, a: Num) -> Num:
    """floor, ceil, trunc and round: jumps from one whole number to the next."""
    dtype = nb.floating(a.dtype)
    if not is_float(a.dtype):
        return nb.cast(a, dtype)
    if a.err is not None or nb.SETTINGS.smooth:
        # halves for round, whole numbers for the others: both are kept away from
        twice = 2 * a.x
        nb.decided((twice - np.rint(twice)) / 2, a.bound())
    return nb.made(f(a.x), dtype, ones=a.ones)


def _unary(f: Any, ulps: float = 4.0) -> Any:
    return lambda a: elementwise(f, a, dtype=nb.floating(as_num(a).dtype), ulps=ulps)


def arctan2(a: Num, b: Num) -> Num:
    dtype = nb.common(nb.floating(a.dtype), nb.floating(b.dtype))
    if nb.kind_of(dtype) == "c":
        raise TypeError("complex numbers have no order")
    return elementwise(np.arctan2, a, b, dtype=dtype, ulps=4)


def neg(a: Num) -> Num:
    if a.dtype == "bool":
        raise TypeError("bools have no negative")
    return elementwise(np.negative, a)


def absolute(a: Num) -> Num:
    if nb.SETTINGS.smooth and is_float(a.dtype):
        nb.decided(a.x, a.bound())
    if nb.kind_of(a.dtype) == "c":
        return nb.made(np.abs(a.x), nb.REAL[a.dtype], a.err, 4, ones=a.ones)
    return elementwise(np.abs, a, err=lambda x, xs, e: e[0])


def sqr(a: Num) -> Num:
    return mul(a, a)


def sgn(a: Num) -> Num:
    if is_float(a.dtype):
        nb.decided(a.x, a.bound())
    return elementwise(np.sign, a, err=lambda x, xs, e: np.zeros(x.shape))


def bitwise(f: Any) -> Any:
    def apply(*args: Any) -> Num:
        nums = [as_num(a) for a in args]
        if any(is_float(n.dtype) for n in nums):
            raise TypeError("floats have no bits")
        return elementwise(f, *nums)

    return apply


def sigmoid(a: Num) -> Num:
    return elementwise(lambda x: 1 / (1 + np.exp(-x)), a, dtype=nb.floating(a.dtype), ulps=4)


def clip(a: Num, low: Any, high: Any) -> Num:
    made = nb.extreme(np.minimum, nb.extreme(np.maximum, a, low), high)
    if made.dtype != a.dtype:
        raise Undecided("bounds that widen")
    return made


# ---- reductions


def mean(a: Num, axis: Any = None, keepdims: bool = False) -> Num:
    dtype = "float64" if not is_float(a.dtype) else a.dtype
    count = int(np.prod([a.x.shape[d] for d in nb._axes(a, axis)], dtype=int))
    if not count:
        raise Undecided("the mean of nothing")
    # numbers of 16 bits are added up in 32: their sum may be beyond 16
    n = nb.total(nb.cast(a, "float64") if dtype in ("float16", "float32") else a, axis, keepdims)
    n = nb.cast(n, "float64") if not is_float(n.dtype) else n
    err = None if n.err is None else n.err / count
    return nb.made(n.x / count, dtype, err, 3, ones=n.ones)


def var(a: Num, axis: Any = None) -> Num:
    wide = a if is_float(a.dtype) else nb.cast(a, "float64")
    return mean(sqr(sub(wide, mean(wide, axis, True))), axis)


def extremes(f: Any, sign: int) -> Any:
    def apply(a: Num, axis: Any = None, keepdims: bool = False) -> Num:
        gone = nb._axes(a, axis)
        if any(a.x.shape[d] == 0 for d in gone):
            raise ValueError("the largest of nothing")
        over = {"axis": gone, "keepdims": keepdims}
        ones = nb.kept(a, axis, keepdims)
        if nb.SETTINGS.smooth and is_float(a.dtype):
            _one_extreme(a, gone, sign)
        err = None if a.err is None else np.asarray(np.max(a.err, **over))
        return Num(np.asarray(f(a.x, **over)), a.dtype, err, ones)

    return apply


def _one_extreme(a: Num, gone: tuple[int, ...], sign: int) -> None:
    """Whether one element is the largest (smallest) along axes, or others are exactly as large."""
    most = np.max(sign * a.x, axis=gone, keepdims=True)
    err = np.max(a.bound(), axis=gone, keepdims=True) + a.bound()
    rest = sign * a.x != most
    if np.any(rest & (most - sign * a.x <= nb.SLACK * err)):
        raise Undecided("rounding decides which is largest")
    if np.any(np.sum(~rest, axis=gone, keepdims=True) > 1) and (
        a.err is not None or nb.SETTINGS.smooth
    ):
        raise Undecided("two are largest")


def positions(f: Any, sign: int) -> Any:
    def apply(a: Num, axis: Any = None) -> Num:
        gone = nb._axes(a, axis)
        if any(a.x.shape[d] == 0 for d in gone):
            raise ValueError("the largest of nothing")
        if is_float(a.dtype):
            _one_extreme(a, gone, sign)
        return Num(np.asarray(f(a.x, axis=axis)).astype("int64"), "int64")

    return apply


def truths(f: Any) -> Any:
    def apply(a: Num, axis: Any = None) -> Num:
        if is_float(a.dtype):
            nb.decided(a.x, a.err)
        return Num(np.asarray(f(a.x != 0, axis=axis)), "bool", None, nb.kept(a, axis, False))

    return apply


def cumsum(a: Num, axis: int | None = None) -> Num:
    if not is_float(a.dtype):
        dtype = "int64" if a.dtype == "bool" else a.dtype
        return Num(np.cumsum(a.x, axis=axis, dtype=dtype), dtype)
    size = np.cumsum(np.abs(a.x), axis=axis).astype("float64")
    x = np.cumsum(a.x, axis=axis)
    if a.err is None and nb.few_bits(a.x, a.dtype) and nb.few_bits(size, "float64"):
        return nb.made(x, a.dtype, None, 1, True)
    count = a.x.size if axis is None else a.x.shape[axis]
    err = count * nb.EPS[a.dtype] * size + np.cumsum(a.bound(), axis=axis)
    return nb.made(x, a.dtype, err, 1)


def cumprod(a: Num, axis: int) -> Num:
    if is_float(a.dtype):
        raise Undecided("not drawn")
    dtype = "int64" if a.dtype == "bool" else a.dtype
    with np.errstate(all="ignore"):
        return Num(np.cumprod(a.x, axis=axis, dtype=dtype), dtype)


def softmax(a: Num) -> Num:
    if a.ndim != 2 or 0 in a.x.shape:
        raise Undecided("not drawn")
    a = nb.cast(a, nb.floating(a.dtype))
    top = nb.leaf(np.max(a.x, -1, keepdims=True).astype(a.dtype), (False, True))
    e = _unary(np.exp)(sub(a, top))
    return Num((r := true_div(e, nb.total(e, -1, True))).x, r.dtype, r.err)


# ---- shapes


def dimshuffle(a: Num, *order: Any) -> Num:
    order = order[0] if len(order) == 1 and isinstance(order[0], tuple | list) else order
    keep = [d for d in order if d != "x"]
    lost = tuple(d for d in range(a.ndim) if d not in keep)
    if not all(a.ones[d] for d in lost):
        raise Undecided("a dimension is left out whose length is not 1 by type")
    rank = {d: i for i, d in enumerate(sorted(keep))}
    at = tuple(None if d == "x" else slice(None) for d in order)
    ones = [d == "x" or a.ones[d] for d in order]
    return a.moved(lambda x: np.squeeze(x, lost).transpose([rank[d] for d in keep])[at], ones)


def reshape(a: Num, shape: Any) -> Num:
    lengths = tuple(int(n) for n in shape)
    if min(lengths, default=0) < -1:  # NumPy takes them for -1
        raise ValueError("a negative length")
    if a.x.size == 0 and -1 in lengths:
        raise Undecided("NumPy refuses -1 for no elements")
    return a.moved(lambda x: np.reshape(x, lengths))


def flatten(a: Num, ndim: int = 1) -> Num:
    if a.x.size == 0:
        raise Undecided("NumPy refuses -1 for no elements")
    return a.moved(lambda x: np.reshape(x, x.shape[: ndim - 1] + (-1,)))


def transpose(a: Num, *order: Any) -> Num:
    axes = order or tuple(reversed(range(a.ndim)))
    return a.moved(lambda x: np.transpose(x, axes), [a.ones[d] for d in axes])


def alloc(a: Any, *shape: Any) -> Num:
    a = as_num(a)
    lengths = tuple(int(n) for n in shape)
    for n, one, m in zip(a.x.shape[::-1], a.ones[::-1], lengths[::-1], strict=False):
        if n != m and n == 1 and not one:
            raise Undecided("a length is 1 by chance")
    return a.moved(lambda x: np.broadcast_to(x, lengths))


def filled(value: int) -> Any:
    def apply(shape: Any, dtype: str = "float64") -> Num:
        lengths = tuple(int(n) for n in (shape if isinstance(shape, tuple | list) else (shape,)))
        if any(n < 0 for n in lengths):
            raise ValueError("a negative length")
        return nb.leaf(np.full(lengths, value, dtype), (False,) * len(lengths))

    return apply


def like(value: int) -> Any:
    return lambda a: nb.leaf(np.full(a.x.shape, value, a.dtype), a.ones)


def arange(*args: Any) -> Num:
    return nb.leaf(np.arange(*(int(a) for a in args)), (False,))


def concatenate(parts: list[Num], axis: int = 0) -> Num:
    dtype = nb.common(*(p.dtype for p in parts))
    parts = [nb.cast(p, dtype) for p in parts]
    x = np.concatenate([p.x for p in parts], axis=axis)
    err = None
    if any(p.err is not None for p in parts):
        err = np.concatenate([p.bound() for p in parts], axis=axis)
    axis %= x.ndim
    # a length that is 1 by chance beside one that is 1 by type: only the second is checked
    flags = [all(p.ones[d] for p in parts) and d != axis for d in range(x.ndim)]
    if any(len({p.ones[d] for p in parts}) > 1 for d in range(x.ndim) if d != axis):
        raise Undecided("lengths of 1 by type and by chance meet")
    return Num(x, dtype, err, flags)


def stack(parts: list[Num], axis: int = 0) -> Num:
    if len({p.ones for p in parts}) > 1:
        raise Undecided("lengths of 1 by type and by chance meet")
    axis = axis % (parts[0].ndim + 1)
    return concatenate([p.moved(lambda x: np.expand_dims(x, axis)) for p in parts], axis)


def split(a: Num, sizes: list[Any], n: int, axis: int = 0) -> list[Num]:
    sizes = [int(s) for s in sizes]
    if sum(sizes) != a.x.shape[axis] or min(sizes) < 0:
        raise ValueError("sizes do not add up")
    ends = np.cumsum([0, *sizes])
    cuts = [(slice(None),) * (axis % a.ndim) + (slice(p, q),) for p, q in pairwise(ends)]
    return [a.moved(lambda x, cut=cut: x[cut]) for cut in cuts]


def roll(a: Num, shift: Any, axis: int) -> Num:
    return a.moved(lambda x: np.roll(x, int(shift), axis))


def repeat(a: Num, times: Any, axis: int) -> Num:
    return a.moved(lambda x: np.repeat(x, int(times), axis))


def tile(a: Num, reps: Any) -> Num:
    return a.moved(lambda x: np.tile(x, tuple(int(n) for n in reps)))


def diag(a: Num) -> Num:
    return a.moved(np.diag)


def masked(f: Any) -> Any:
    """tril and triu."""
    return lambda a: a.moved(f)


# ---- indexing


def _index(at: Any) -> Any:
    parts = at if isinstance(at, tuple) else (at,)
    return tuple(_part(p) for p in parts)


def _part(p: Any) -> Any:
    if isinstance(p, Num):
        return p.__index__() if p.ndim == 0 else p.x
    if isinstance(p, slice):
        return slice(*(None if v is None else int(v) for v in (p.start, p.stop, p.step)))
    return p


def _flags_after(a: Num, parts: tuple[Any, ...]) -> tuple[bool, ...] | None:
    """The flags of basic indexing; nothing is known of the other."""
    if not all(p is None or p is Ellipsis or isinstance(p, slice | int) for p in parts):
        return None
    taken = sum(p is not None and p is not Ellipsis for p in parts)
    flags, d = [], 0
    rest = a.ndim - taken
    for p in (*parts, *(() if Ellipsis in parts else (Ellipsis,))):
        if p is None:
            flags.append(True)
        elif p is Ellipsis:
            flags += a.ones[d : d + rest]
            d += rest
        else:
            if isinstance(p, slice):
                flags.append(a.ones[d] and p == slice(None))
            d += 1
    return tuple(flags)


def _check_size(a: Num, parts: tuple[Any, ...]) -> None:
    """Refuse an index that takes more elements than are drawn: a position may be taken often."""
    arrays = [p for p in parts if isinstance(p, np.ndarray) and p.dtype != bool]
    if not arrays or np.broadcast(*arrays).size <= 1:
        return
    one = tuple(slice(0, 1) if any(p is each for each in arrays) else p for p in parts)
    if np.broadcast(*arrays).size * a.x[one].size > nb.MOST_ITEMS:
        raise Undecided("too large")


def getitem(a: Num, at: Any) -> Num:
    parts = _index(at)
    _check_size(a, parts)
    taken = a.moved(lambda x: x[parts], _flags_after(a, parts))
    taken.origin = (a, parts)
    return taken


def _add_at(x: np.ndarray, at: Any, value: Any) -> None:
    # NOTE: of a vector that stretches over a matrix of indices NumPy 2.4 adds the first row alone,
    # and reads beyond the vector
    np.add.at(x, at, np.broadcast_to(value, x[at].shape))


def _written(part: Num, value: Any, increment: bool) -> Num:
    (a, at), value = part.origin, as_num(value)
    if nb.common(a.dtype, value.dtype) != a.dtype:
        raise TypeError("what is written is wider")
    value = nb.cast(value, a.dtype)
    for n, one, m in zip(value.x.shape[::-1], value.ones[::-1], part.x.shape[::-1], strict=False):
        if n != m and n == 1 and not one:
            raise Undecided("a length is 1 by chance")
    if value.ndim > part.ndim:
        raise ValueError("too many dimensions")
    np.broadcast_to(value.x, part.x.shape)
    x, err = a.x.copy(), a.bound().copy()
    if not increment:
        times = np.zeros(a.x.shape, int)
        np.add.at(times, at, 1)
        if np.any(times > 1) and np.unique(value.x).size > 1:
            raise Undecided("which of two writes is last depends on how NumPy finds the index")
        x[at], err[at] = value.x, value.bound()
        return Num(x, a.dtype, err if np.any(err) else None, a.ones)
    with np.errstate(all="ignore"):
        _add_at(x, at, value.x)
    if not is_float(a.dtype):
        return Num(x, a.dtype, None, a.ones)
    _add_at(err, at, value.bound())
    if not np.any(err) and nb.few_bits(x, a.dtype) and nb.few_bits(value.x, a.dtype):
        return nb.made(x, a.dtype, None, ones=a.ones)
    size, times = np.abs(a.x).astype("float64"), np.zeros(a.x.shape)
    _add_at(size, at, np.abs(value.x).astype("float64"))
    np.add.at(times, at, 1.0)
    return nb.made(x, a.dtype, err + times * nb.EPS[a.dtype] * size, ones=a.ones)


def set_subtensor(part: Num, value: Any) -> Num:
    return _written(part, value, False)


def inc_subtensor(part: Num, value: Any) -> Num:
    return _written(part, value, True)


def nonzero(a: Num) -> tuple[Num, ...]:
    if is_float(a.dtype):
        nb.decided(a.x, a.err)
    return tuple(nb.leaf(i, (False,)) for i in np.nonzero(a.x))


def take(a: Num, at: Num, axis: int) -> Num:
    parts = (slice(None),) * axis + (at.x,)
    return a.moved(lambda x: x[parts])


# ---- sorting


def sort(a: Num, axis: int = -1) -> Num:
    if a.err is not None or nb.SETTINGS.smooth:
        _apart(a, axis)
    order = np.argsort(a.x, axis=axis, kind="stable")
    return a.moved(lambda x: np.take_along_axis(x, order, axis))


def _apart(a: Num, axis: int) -> None:
    order = np.argsort(a.x, axis=axis, kind="stable")
    x, e = (np.take_along_axis(v, order, axis) for v in (a.x, a.bound()))
    gap = np.diff(x, axis=axis)
    near = np.moveaxis(e, axis, 0)
    err = np.moveaxis(near[1:] + near[:-1], 0, axis)
    if np.any(gap <= nb.SLACK * err):
        raise Undecided("rounding decides the order")


def argsort(a: Num, axis: int = -1, kind: str = "quicksort") -> Num:
    if a.err is not None:
        _apart(a, axis)
    return Num(np.argsort(a.x, axis=axis, kind="stable").astype("int64"), "int64")


# ---- products


def tdot(a: Num, b: Num) -> Num:
    if a.ndim == 0 or b.ndim == 0:
        raise TypeError("dot of a scalar")
    return nb.dot(a, b)


def batched_dot(a: Num, b: Num) -> Num:
    if a.x.shape[0] != b.x.shape[0]:
        raise ValueError("batches of different lengths")
    return nb.dot(a, b, np.matmul)


def outer(a: Num, b: Num) -> Num:
    return nb.dot(a, b, np.multiply.outer, 1)


def tensordot(a: Num, b: Num, axes: Any) -> Num:
    count = int(np.prod([a.x.shape[d] for d in axes[0]], dtype=int))
    return nb.dot(a, b, lambda p, q: np.tensordot(p, q, axes), count)


# ---- choices


def ifelse(condition: Num, yes: Any, no: Any) -> Any:
    condition = as_num(condition)
    if is_float(condition.dtype):
        nb.decided(condition.x, condition.err)
    both = [yes, no] if isinstance(yes, list) else [[yes], [no]]
    for a, b in zip(*both, strict=True):
        if (a.dtype, a.ndim) != (b.dtype, b.ndim):
            raise TypeError("branches of different types")
        if a.ones != b.ones or any(
            m == 1 and not one for n in (a, b) for m, one in zip(n.x.shape, n.ones, strict=True)
        ):
            raise Undecided("whether a length is 1 by type has to be the same")
    return yes if condition.x != 0 else no


def assert_true(message: str) -> Any:
    def apply(a: Num, *conditions: Num) -> Num:
        for c in conditions:
            if not np.all(c.x):
                raise AssertionError(message)
        return a

    return apply


def specify_shape(a: Num, shape: Any) -> Num:
    if tuple(int(n) for n in shape) != a.x.shape:
        raise AssertionError("another shape")
    return a.moved(lambda x: x, a.ones)


def to_complex(a: Num, b: Num) -> Num:
    ones = nb.stretched(a, b)
    if a.dtype != b.dtype or a.dtype != "float64":
        raise Undecided("not drawn")
    err = None if a.err is None and b.err is None else a.bound() + b.bound()
    return nb.made(a.x + 1j * b.x, "complex128", err, ones=ones)


def part_of_complex(f: Any) -> Any:
    def apply(a: Num) -> Num:
        if nb.kind_of(a.dtype) != "c":
            raise TypeError("not drawn")
        return Num(f(a.x), nb.REAL[a.dtype], a.err, a.ones)

    return apply


# ---- what the source sees

_METHODS: dict[str, Any] = {
    "__add__": add,
    "__radd__": lambda a, b: add(b, a),
    "__sub__": sub,
    "__rsub__": lambda a, b: sub(b, a),
    "__mul__": mul,
    "__rmul__": lambda a, b: mul(b, a),
    "__truediv__": true_div,
    "__floordiv__": int_div,
    "__mod__": mod,
    "__pow__": power,
    "__neg__": neg,
    "__abs__": absolute,
    "__and__": bitwise(np.bitwise_and),
    "__or__": bitwise(np.bitwise_or),
    "__xor__": bitwise(np.bitwise_xor),
    "__invert__": bitwise(np.invert),
    "__lt__": lambda a, b: nb.compare(np.less, a, b),
    "__le__": lambda a, b: nb.compare(np.less_equal, a, b),
    "__gt__": lambda a, b: nb.compare(np.greater, a, b),
    "__ge__": lambda a, b: nb.compare(np.greater_equal, a, b),
    "__getitem__": getitem,
    "astype": nb.cast,
    "dimshuffle": dimshuffle,
    "flatten": flatten,
    "reshape": reshape,
    "transpose": transpose,
    "T": property(transpose),
    "sum": nb.total,
    "size": property(lambda a: nb.leaf(np.asarray(a.x.size), ())),
    "nonzero": nonzero,
    "copy": lambda a: a.moved(lambda x: x, a.ones),
}
for _name, _method in _METHODS.items():
    setattr(Num, _name, _method)

T = SimpleNamespace(
    sum=nb.total,
    prod=nb.product,
    mean=mean,
    var=var,
    max=extremes(np.max, 1),
    min=extremes(np.min, -1),
    argmax=positions(np.argmax, 1),
    argmin=positions(np.argmin, -1),
    any=truths(np.any),
    all=truths(np.all),
    cumsum=cumsum,
    cumprod=cumprod,
    maximum=lambda a, b: nb.extreme(np.maximum, a, b),
    minimum=lambda a, b: nb.extreme(np.minimum, a, b),
    clip=clip,
    switch=nb.choose,
    eq=lambda a, b: nb.compare(np.equal, a, b),
    neq=lambda a, b: nb.compare(np.not_equal, a, b),
    sqr=sqr,
    sgn=sgn,
    exp=_unary(np.exp),
    log1p=_unary(np.log1p),
    log=_unary(np.log),
    sqrt=_unary(np.sqrt),
    sin=_unary(np.sin),
    cos=_unary(np.cos),
    tanh=_unary(np.tanh),
    arctan=_unary(np.arctan),
    arctan2=arctan2,
    floor=floor,
    ceil=lambda a: _stepped(np.ceil, a),
    trunc=lambda a: _stepped(np.trunc, a),
    cast=nb.cast,
    set_subtensor=set_subtensor,
    inc_subtensor=inc_subtensor,
    nonzero=nonzero,
    take=take,
    reshape=reshape,
    alloc=alloc,
    zeros=filled(0),
    ones=filled(1),
    zeros_like=like(0),
    ones_like=like(1),
    arange=arange,
    concatenate=concatenate,
    stack=stack,
    split=split,
    roll=roll,
    repeat=repeat,
    tile=tile,
    diag=diag,
    tril=masked(np.tril),
    triu=masked(np.triu),
    sort=sort,
    argsort=argsort,
    dot=tdot,
    batched_dot=batched_dot,
    outer=outer,
    tensordot=tensordot,
    complex=to_complex,
    real=part_of_complex(np.real),
    imag=part_of_complex(np.imag),
    conj=lambda a: a.moved(np.conj, a.ones),
    specify_shape=specify_shape,
    opt=SimpleNamespace(Assert=assert_true),
    nnet=SimpleNamespace(
        sigmoid=sigmoid,
        softmax=softmax,
        relu=lambda a: nb.extreme(np.maximum, a, 0),
    ),
)
theano = SimpleNamespace(scan=scan, scan_module=SimpleNamespace(until=until))

#: the names that a program's source may use
NAMES = {"T": T, "theano": theano, "ifelse": ifelse, "np": np}
