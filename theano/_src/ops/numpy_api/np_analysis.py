"""NumPy's statistics, differences, polynomials and histograms, with NumPy's signatures.

Functions that a family already has with NumPy's name and arguments are not repeated here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.ops.arrays import creation, cumulative, interpolation, search
from theano._src.ops.arrays.axes import axis_list, one_axis
from theano._src.ops.core import cast
from theano._src.ops.elementwise import arithmetic, compare
from theano._src.ops.index import index
from theano._src.ops.linalg import dot, factors, products, solve
from theano._src.ops.numpy_api import np_arrays
from theano._src.ops.numpy_api.np_arrays import _at, _length
from theano._src.ops.numpy_api.np_elements import _floats
from theano._src.ops.reduce import max_min, reduce
from theano._src.ops.shape import alloc, join, ranges, shape as shapes
from theano._src.types.aliases import Axis, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import TensorVariable

#: the lowest and the highest value; None means those of the data
Range: TypeAlias = tuple[TensorLike, TensorLike] | None


def ptp(a: TensorLike, axis: Axis = None, *, keepdims: bool = False) -> Any:
    high, low = (f(a, axis=axis, keepdims=keepdims) for f in (max_min.max, max_min.min))
    return high - low


def cumulative_sum(x: TensorLike, *, axis: int | None = None, include_initial: bool = False) -> Any:
    return _cumulative(cumulative.cumsum, 0, x, axis, include_initial)


def cumulative_prod(
    x: TensorLike, *, axis: int | None = None, include_initial: bool = False
) -> Any:
    return _cumulative(cumulative.cumprod, 1, x, axis, include_initial)


def _cumulative(
    op: Callable[..., Any], start: int, x: TensorLike, axis: int | None, include_initial: bool
) -> Any:
    x, name = as_tensor_variable(x), "cumulative_prod" if start else "cumulative_sum"
    if axis is None and x.ndim != 1:
        raise ValueError(f"numpy.{name} takes an axis for {x.type}, got None")
    at = one_axis(name, 0 if axis is None else axis, x.ndim)
    result = op(x, axis=at)
    if not include_initial:
        return result
    lengths = [1 if i == at else _length(x, i) for i in range(x.ndim)]
    first = alloc.alloc(np.asarray(start, result.dtype), *lengths)
    return join.concatenate([first, result], axis=at)


def diff(
    a: TensorLike, n: int = 1, axis: int = -1, prepend: TensorLike = None, append: TensorLike = None
) -> Any:
    a = as_tensor_variable(a)
    at = one_axis("diff", axis, a.ndim)
    ends = [_end(v, a, at) for v in (prepend, append)]
    if ends != [None, None]:
        a = join.concatenate([v for v in (ends[0], a, ends[1]) if v is not None], axis=at)
    return cumulative.diff(a, n, at)


def _end(v: TensorLike, a: TensorVariable, axis: int) -> Any:
    if v is None:
        return None
    v = as_tensor_variable(v)
    return v if v.ndim else arithmetic.second(a[_at(axis, slice(0, 1))], v)


def gradient(f: TensorLike, *varargs: Any, axis: Axis = None, edge_order: int = 1) -> Any:
    (f,) = _floats(f)
    over = list(range(f.ndim)) if axis is None else axis_list("gradient", axis, f.ndim)
    steps = list(varargs) * (len(over) if len(varargs) == 1 else 1) or [1] * len(over)
    if len(steps) != len(over) or edge_order != 1 or any(np.ndim(h) for h in steps):
        raise TypeError(
            "numpy.gradient of symbolic variables takes a step for each axis, or one for all, and "
            f"edge_order=1, got {varargs!r:.60}, edge_order={edge_order}"
        )
    result = tuple(_slope(f, h, i) for h, i in zip(steps, over))
    return result[0] if len(result) == 1 else result


def _slope(f: TensorVariable, h: TensorLike, axis: int) -> Any:
    def part(start: int | None, stop: int | None) -> TensorVariable:
        return f[_at(axis, slice(start, stop))]

    inner = (part(2, None) - part(None, -2)) / 2
    ends = part(1, 2) - part(0, 1), part(-1, None) - part(-2, -1)
    return join.concatenate([ends[0], inner, ends[1]], axis=axis) / h


def unwrap(
    p: TensorLike, discont: TensorLike = None, axis: int = -1, *, period: float = 2 * np.pi
) -> Any:
    (p,) = _floats(p)
    at = one_axis("unwrap", axis, p.ndim)
    steps, half = cumulative.diff(p, 1, at), period / 2
    wrapped = arithmetic.mod(steps + half, period) - half
    at_edge = compare.and_(compare.eq(wrapped, -half), compare.gt(steps, 0))
    wrapped = compare.switch(at_edge, half, wrapped)
    limit = half if discont is None else discont
    change = compare.switch(compare.lt(arithmetic.abs_(steps), limit), 0.0, wrapped - steps)
    first = p[_at(at, slice(0, 1))]
    rest = p[_at(at, slice(1, None))] + cumulative.cumsum(change, axis=at)
    return cast.cast(join.concatenate([first, rest], axis=at), p.dtype)


def digitize(x: TensorLike, bins: TensorLike, right: bool = False) -> Any:
    x, bins = as_tensor_variable(x), as_tensor_variable(bins)
    side = "left" if right else "right"
    flat = shapes.flatten(x)
    rising = search.searchsorted(bins, flat, side=side)
    falling = _length(bins, 0) - search.searchsorted(bins[::-1], flat, side=side)
    result = compare.switch(compare.gt(bins[0], bins[-1]), falling, rising)
    return shapes.reshape(result, shapes.shape(x), x.ndim)


def polyval(p: TensorLike, x: TensorLike) -> Any:
    if not isinstance(p, Variable):
        return interpolation.polyval(p, x)
    x = as_tensor_variable(x)
    powers = ranges.arange(_length(p, 0))[::-1]
    if x.type.numpy_dtype.kind in "fc":
        powers = cast.cast(powers, x.dtype)  # integers would widen narrow floats
    return reduce.sum(p * x.dimshuffle(*range(x.ndim), "x") ** powers, axis=-1)


def polyder(p: TensorLike, m: int = 1) -> Any:
    tensor: Any = as_tensor_variable(p)
    for _ in range(m):
        tensor = tensor[:-1] * ranges.arange(_length(tensor, 0) - 1, 0, -1)
    return tensor


def polyint(p: TensorLike, m: int = 1, k: float | Sequence[float] | None = None) -> Any:
    result: Any
    (result,) = _floats(p)
    for c in np.broadcast_to(0 if k is None else k, (m,)):
        powers = cast.cast(ranges.arange(_length(result, 0), 0, -1), result.dtype)
        result = join.concatenate([result / powers, alloc.alloc(np.asarray(c, result.dtype), 1)])
    return result


def polyadd(a1: TensorLike, a2: TensorLike) -> Any:
    a, b = _same_degree(a1, a2)
    return a + b


def polysub(a1: TensorLike, a2: TensorLike) -> Any:
    a, b = _same_degree(a1, a2)
    return a - b


def _same_degree(a1: TensorLike, a2: TensorLike) -> list[Any]:
    both = [as_tensor_variable(v) for v in (a1, a2)]
    n = arithmetic.maximum(*(_length(v, 0) for v in both))
    zero = [alloc.alloc(np.asarray(0, v.dtype), n - _length(v, 0)) for v in both]
    return [join.concatenate([z, v]) for z, v in zip(zero, both)]


def polymul(a1: TensorLike, a2: TensorLike) -> Any:
    """Keep leading zeros, which NumPy drops, as they are known only at run time."""
    return products.convolve(a1, a2)


def polyfit(x: TensorLike, y: TensorLike, deg: int) -> Any:
    """Return the least-squares coefficients, from a QR factorization of the powers of ``x``."""
    x, y = _floats(x, y)
    powers = np_arrays.vander(x, int(deg) + 1)
    # columns are scaled to norm 1, for a better conditioned matrix
    scale = arithmetic.sqrt(reduce.sum(arithmetic.sqr(powers), axis=0))
    q, r = factors.qr(powers / scale)
    result = solve.solve(r, dot.dot(q.T, y), assume_a="upper triangular")
    return result / (scale if y.ndim == 1 else scale[:, None])


def kron(a: TensorLike, b: TensorLike) -> Any:
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    n = max(a.ndim, b.ndim)
    if n == 0:
        return a * b
    a, b = as_tensor_variable(a, ndim=n), as_tensor_variable(b, ndim=n)
    left = a.dimshuffle(*(v for i in range(n) for v in (i, "x")))
    right = b.dimshuffle(*(v for i in range(n) for v in ("x", i)))
    lengths = [_length(a, i) * _length(b, i) for i in range(n)]
    return shapes.reshape(left * right, lengths, ndim=n)


def trim_zeros(filt: TensorLike, trim: str = "fb") -> Any:
    filt = as_tensor_variable(filt)
    if filt.ndim != 1:
        raise TypeError(f"numpy.trim_zeros of symbolic variables takes vectors, got {filt.type}")
    held, n = compare.neq(filt, 0), _length(filt, 0)
    # a nonzero sentinel after all elements, for inputs that are empty or all 0
    ends = [join.concatenate([side, np.ones(1, "bool")]) for side in (held, held[::-1])]
    before, after = (max_min.argmax(cast.cast(side, "int8")) for side in ends)
    start = before if "f" in trim.lower() else as_tensor_variable(np.asarray(0))
    stop = n - after if "b" in trim.lower() else n
    return filt[start : arithmetic.maximum(start, stop)]


def histogram_bin_edges(a: TensorLike, bins: TensorLike = 10, range: Range = None) -> Any:
    if not isinstance(bins, (int, np.integer)):
        if isinstance(bins, str):
            raise TypeError(
                "numpy.histogram of symbolic variables takes a number of bins or their edges, got "
                f"{bins!r}; how many bins it would choose is known only when it runs"
            )
        return as_tensor_variable(bins)
    (a,) = _floats(a)
    low, high = (max_min.min(a), max_min.max(a)) if range is None else _floats(*range)
    # a single value is in the middle of a range of length 1
    half = compare.switch(compare.eq(low, high), 0.5, 0.0)
    return creation.linspace(low - half, high + half, int(bins) + 1)


def histogram(
    a: TensorLike,
    bins: TensorLike = 10,
    range: Range = None,
    density: bool | None = None,
    weights: TensorLike = None,
) -> tuple[Any, Any]:
    (flat,) = _floats(shapes.flatten(as_tensor_variable(a)))
    edges = histogram_bin_edges(flat, bins, range)
    last = _length(edges, 0) - 2
    inside = compare.and_(compare.ge(flat, edges[0]), compare.le(flat, edges[-1]))
    # the last bin includes both of its edges
    place = arithmetic.clip(search.searchsorted(edges, flat, side="right") - 1, 0, last)
    each = cast.cast(inside, "int64")
    if weights is not None:
        each = each * shapes.flatten(as_tensor_variable(weights))
    zero = alloc.alloc(np.asarray(0, each.dtype), last + 1)
    counts = index.inc_subtensor(zero[place], each)
    if density:
        counts = counts / reduce.sum(counts) / cumulative.diff(edges)
    return counts, edges
