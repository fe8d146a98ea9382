"""Medians, quantiles and percentiles along dimensions, by sorting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.ground.documented import documented_in
from theano._src.ops.arrays.axes import axis_list, moveaxis, one_axis
from theano._src.ops.arrays.sort import sort
from theano._src.ops.core.cast import cast
from theano._src.ops.elementwise.arithmetic import add, maximum, mul, sub, true_div
from theano._src.ops.elementwise.compare import eq, ge, invert, isnan, le, switch
from theano._src.ops.elementwise.rounding import ceil, floor, round_half_to_even
from theano._src.ops.meta.misc import Assert
from theano._src.ops.reduce.any_all import all as all_, any as any_
from theano._src.ops.reduce.careduce import sum as sum_
from theano._src.ops.shape.dims import dimshuffle
from theano._src.ops.shape.ranges import arange
from theano._src.ops.shape.shape import reshape, shape_i_op
from theano._src.ops.shape.static_values import as_length, product
from theano._src.types.aliases import Axis, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import complex_dtypes, discrete_dtypes
from theano._src.types.tensor import TensorVariable


@documented_in("theano.tensor")
def take_along_axis(arr: TensorLike, indices: TensorLike, axis: int | None = -1) -> TensorVariable:
    """Elements of each 1-d slice along a dimension, at indices for that slice.

    >>> import theano.tensor as T
    >>> x = T.constant([[30, 10, 20], [5, 7, 6]])
    >>> T.take_along_axis(x, T.argsort(x, axis=1), axis=1).eval().tolist()
    [[10, 20, 30], [5, 6, 7]]
    """
    x, at = as_tensor_variable(arr), as_tensor_variable(indices)
    if axis is None:
        x, axis = x.flatten(), 0
    if x.ndim != at.ndim:
        raise ValueError(
            f"take_along_axis takes indices of as many dimensions as {x}, got {at} of {at.type}"
        )
    line = one_axis("take_along_axis", axis, x.ndim)
    index: list[Any] = []
    for d in range(x.ndim):
        # a broadcastable dimension of x is read at 0 for every index
        places = arange(shape_i_op(d)(x)) if not x.broadcastable[d] else np.zeros(1, "int64")
        index.append(
            dimshuffle(as_tensor_variable(places), *(0 if e == d else "x" for e in range(x.ndim)))
        )
    index[line] = at
    return x[tuple(index)]


#: by method, for a fractional position: the positions below and above, and the weight of the latter
_METHODS: dict[str, Callable[[Any], tuple[Any, Any, Any]]] = {
    "linear": lambda p: (floor(p), ceil(p), sub(p, floor(p))),
    "lower": lambda p: (floor(p), floor(p), None),
    "higher": lambda p: (ceil(p), ceil(p), None),
    "nearest": lambda p: (round_half_to_even(p), round_half_to_even(p), None),
    "midpoint": lambda p: (floor(p), ceil(p), switch(eq(floor(p), p), 0.0, 0.5)),
}


def _lines(who: str, a: TensorVariable, axis: Axis) -> tuple[Any, list[int]]:
    """Merge the dimensions ``axis`` of ``a`` into one, the last; also return these as a list."""
    gone = list(range(a.ndim)) if axis is None else sorted(axis_list(who, axis, a.ndim))
    kept = [d for d in range(a.ndim) if d not in gone]
    moved = dimshuffle(a, *kept, *gone)
    if len(gone) == 1:
        return moved, gone
    lengths = [shape_i_op(d)(a) for d in kept]
    together = product(shape_i_op(d)(a) for d in gone)
    return reshape(moved, [*lengths, together], ndim=len(kept) + 1), gone


def _quantile(
    who: str,
    a: TensorLike,
    q: TensorVariable,
    axis: Axis,
    method: str,
    keepdims: bool,
    skip: bool,
) -> Any:
    x = as_tensor_variable(a)
    if x.dtype in complex_dtypes:
        raise TypeError(f"{who} takes real numbers, got {x} of {x.type}")
    if method not in _METHODS:
        raise ValueError(f"{who} takes a method out of {', '.join(_METHODS)}, got {method!r}")
    ndim = x.ndim
    dtype = x.dtype
    if dtype in discrete_dtypes:
        dtype = "float64" if method in ("linear", "midpoint") else dtype
        x = cast(x, dtype)
    lines, gone = _lines(who, x, axis)
    ordered = sort(lines, axis=-1)
    floats = dtype not in discrete_dtypes
    n = shape_i_op(lines.ndim - 1)(lines)
    if skip and floats:
        # NaN sorts behind the numbers: count positions among these only
        counts = sum_(invert(isnan(lines)), axis=-1, keepdims=True)
        last = maximum(sub(counts, as_length(1)), as_length(0))
    else:
        last = dimshuffle(sub(n, as_length(1)), *("x",) * lines.ndim)
    flat = q if q.ndim == 1 else q.flatten() if q.ndim else dimshuffle(q, "x")
    flat = dimshuffle(flat, *("x",) * (lines.ndim - 1), 0)
    below, above, share = _METHODS[method](mul(flat, cast(last, "float64")))
    low = _at(ordered, below)
    if share is None:
        result = low
    else:
        high = _at(ordered, above)
        result = add(low, mul(sub(high, low), cast(share, dtype)))
        # the difference of equal infinities is NaN
        result = switch(eq(low, high), low, result)
    if floats and not skip:
        bad = any_(isnan(lines), axis=-1, keepdims=True)
        result = switch(bad, np.asarray(np.nan, dtype), result)
    result = cast(result, dtype)
    # as in NumPy: the dimensions of q come first, then the remaining ones of a
    result = moveaxis(result, -1, 0)
    kept = result.ndim - 1
    if keepdims:
        rest = iter(range(1, kept + 1))
        result = dimshuffle(result, 0, *("x" if d in gone else next(rest) for d in range(ndim)))
    tail = list(range(1, result.ndim))
    if q.ndim == 0:
        return result[0]
    if q.ndim > 1:
        shape = [*(shape_i_op(d)(q) for d in range(q.ndim)), *(shape_i_op(d)(result) for d in tail)]
        return reshape(result, shape, ndim=q.ndim + len(tail))
    return result


def _at(ordered: TensorVariable, places: Variable) -> Any:
    """Elements of sorted 1-d slices at ``places``, which may be one row for all slices."""
    index = cast(places, "int64")
    if all(index.broadcastable[:-1]):
        row = dimshuffle(index, index.ndim - 1)
        return ordered[(slice(None),) * (ordered.ndim - 1) + (row,)]
    return take_along_axis(ordered, index, -1)


@documented_in("theano.tensor")
def quantile(
    a: TensorLike, q: TensorLike, axis: Axis = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """The quantiles: values below which a fraction ``q`` of the elements lies; NaN if one is NaN.

    Parameters
    ----------
    a : tensor or array
    q : number, tensor or array
        Fractions from 0 to 1; their dimensions come first in the result.
    axis : int or list of ints, optional
        The dimensions to reduce over; all by default.
    method : {'linear', 'lower', 'higher', 'nearest', 'midpoint'}
        The value to return between two elements.
    keepdims : bool
        Whether to keep the reduced dimensions with length 1.

    >>> import theano.tensor as T
    >>> T.quantile([3.0, 1.0, 2.0, 4.0], [0.0, 0.5, 0.9]).eval().tolist()
    [1.0, 2.5, 3.7]
    """
    return _quantile("quantile", a, _share(q), axis, method, keepdims, skip=False)


def _share(q: TensorLike, whole: float = 1) -> Any:
    """Return ``q / whole`` as a float64 variable; raise if it is not between 0 and 1."""
    if not isinstance(q, Variable):
        q = np.asarray(q, "float64")
        if not bool(np.all((q >= 0) & (q <= whole))):
            raise ValueError(f"quantiles take shares from 0 to {whole}, got {q}")
        return as_tensor_variable(q / whole)
    q = cast(q, "float64")
    text = f"quantiles take shares from 0 to {whole}"
    return true_div(Assert(text)(q, all_(ge(q, 0)), all_(le(q, whole))), whole)


@documented_in("theano.tensor")
def percentile(
    a: TensorLike, q: TensorLike, axis: Axis = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """``quantile`` with ``q`` from 0 to 100.

    >>> import theano.tensor as T
    >>> T.percentile([1.0, 2.0, 3.0], 50).eval().item()
    2.0
    """
    return _quantile("percentile", a, _share(q, 100), axis, method, keepdims, skip=False)


@documented_in("theano.tensor")
def median(a: TensorLike, axis: Axis = None, keepdims: bool = False) -> Any:
    """The median: the middle element, or the mean of the two middle ones; NaN if one is NaN.

    >>> import theano.tensor as T
    >>> T.median([[1.0, 9.0, 2.0], [4.0, 3.0, 8.0]], axis=1).eval().tolist()
    [2.0, 4.0]
    """
    return _quantile("median", a, _share(0.5), axis, "linear", keepdims, skip=False)


@documented_in("theano.tensor")
def nanquantile(
    a: TensorLike, q: TensorLike, axis: Axis = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """``quantile`` of the elements that are not NaN.

    >>> import theano.tensor as T
    >>> T.nanquantile([1.0, float("nan"), 2.0], 0.5).eval().item()
    1.5
    """
    return _quantile("nanquantile", a, _share(q), axis, method, keepdims, skip=True)


@documented_in("theano.tensor")
def nanpercentile(
    a: TensorLike, q: TensorLike, axis: Axis = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """``percentile`` of the elements that are not NaN.

    >>> import theano.tensor as T
    >>> T.nanpercentile([1.0, float("nan"), 2.0], 50).eval().item()
    1.5
    """
    return _quantile("nanpercentile", a, _share(q, 100), axis, method, keepdims, skip=True)


@documented_in("theano.tensor")
def nanmedian(a: TensorLike, axis: Axis = None, keepdims: bool = False) -> Any:
    """``median`` of the elements that are not NaN.

    >>> import theano.tensor as T
    >>> T.nanmedian([1.0, float("nan"), 2.0]).eval().item()
    1.5
    """
    return _quantile("nanmedian", a, _share(0.5), axis, "linear", keepdims, skip=True)
