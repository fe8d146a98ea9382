"""Reductions that ignore NaN, the weighted average, and count_nonzero, as in NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.ground.documented import documented_in
from theano._src.ops.arrays.axes import axis_list
from theano._src.ops.arrays.cumulative import cumprod, cumsum
from theano._src.ops.core.cast import cast
from theano._src.ops.core.grad_helpers import const_like
from theano._src.ops.elementwise.arithmetic import mul, second, sqrt, sub, true_div
from theano._src.ops.elementwise.compare import invert, isnan, switch
from theano._src.ops.elementwise.logic import truth
from theano._src.ops.meta.misc import Assert
from theano._src.ops.reduce.any_all import all as all_, any as any_
from theano._src.ops.reduce.careduce import prod, sum as sum_
from theano._src.ops.reduce.max_min import argmax, argmin, max as max_, min as min_
from theano._src.ops.reduce.statistics import mean, squared_abs, var
from theano._src.ops.shape.dims import dimshuffle
from theano._src.types.aliases import Axis, DTypeLike, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import discrete_dtypes, upcast
from theano._src.types.tensor import TensorVariable


def _without_nan(a: TensorLike, value: float) -> tuple[Any, Any]:
    """Replace NaN by ``value``; also return the mask of NaN, None for dtypes without NaN."""
    a = as_tensor_variable(a)
    if a.dtype in discrete_dtypes:
        return a, None
    bad = isnan(a)
    return switch(bad, const_like(value, a), a), bad


@documented_in("theano.tensor")
def nansum(
    a: TensorLike, axis: Axis = None, dtype: DTypeLike = None, keepdims: bool = False
) -> Any:
    """The sum of the elements that are not NaN.

    >>> import theano.tensor as T
    >>> T.nansum([1.0, float("nan"), 2.0]).eval().item()
    3.0
    """
    return sum_(_without_nan(a, 0)[0], axis, dtype, keepdims)


@documented_in("theano.tensor")
def nanprod(
    a: TensorLike, axis: Axis = None, dtype: DTypeLike = None, keepdims: bool = False
) -> Any:
    """The product of the elements that are not NaN.

    >>> import theano.tensor as T
    >>> T.nanprod([3.0, float("nan"), 2.0]).eval().item()
    6.0
    """
    return prod(_without_nan(a, 1)[0], axis, dtype, keepdims)


@documented_in("theano.tensor")
def nancumsum(a: TensorLike, axis: int | None = None) -> TensorVariable:
    """The cumulative sum, where NaN counts as 0.

    >>> import theano.tensor as T
    >>> T.nancumsum([1.0, float("nan"), 2.0]).eval().tolist()
    [1.0, 1.0, 3.0]
    """
    return cumsum(_without_nan(a, 0)[0], axis)


@documented_in("theano.tensor")
def nancumprod(a: TensorLike, axis: int | None = None) -> TensorVariable:
    """The cumulative product, where NaN counts as 1.

    >>> import theano.tensor as T
    >>> T.nancumprod([3.0, float("nan"), 2.0]).eval().tolist()
    [3.0, 3.0, 6.0]
    """
    return cumprod(_without_nan(a, 1)[0], axis)


def _numbers(bad: Variable, axis: Axis, like: TensorVariable, keepdims: bool) -> Any:
    """The number of elements that are not NaN, in a float dtype for dividing ``like``."""
    n = sum_(invert(bad), axis, keepdims=keepdims)
    narrow = like.dtype in ("float16", "float32", "complex64")
    return cast(n, "float32" if narrow else "float64")


@documented_in("theano.tensor")
def nanmean(
    a: TensorLike, axis: Axis = None, dtype: DTypeLike = None, keepdims: bool = False
) -> Any:
    """The mean of the elements that are not NaN; NaN if there are none.

    >>> import theano.tensor as T
    >>> T.nanmean([1.0, float("nan"), 2.0]).eval().item()
    1.5
    """
    filled, bad = _without_nan(a, 0)
    if bad is None:
        return mean(filled, axis, dtype, keepdims)
    wide = "float32" if filled.dtype == "float16" and dtype is None else dtype
    total = sum_(filled, axis, wide, keepdims)
    out = true_div(total, _numbers(bad, axis, total, keepdims))
    return cast(out, filled.dtype) if dtype is None else out


@documented_in("theano.tensor")
def nanvar(a: TensorLike, axis: Axis = None, ddof: TensorLike = 0, keepdims: bool = False) -> Any:
    """The variance of the elements that are not NaN; NaN if there are ``ddof`` or fewer.

    >>> import theano.tensor as T
    >>> T.nanvar([1.0, float("nan"), 3.0]).eval().item()
    1.0
    """
    filled, bad = _without_nan(a, 0)
    if bad is None:
        return var(filled, axis, ddof, keepdims)
    wide = cast(filled, "float32") if filled.dtype == "float16" else filled
    n = _numbers(bad, axis, wide, True)
    squares = squared_abs(sub(wide, true_div(sum_(wide, axis, keepdims=True), n)))
    squares = switch(bad, const_like(0, squares), squares)
    count = sub(_numbers(bad, axis, wide, keepdims), cast(ddof, n.dtype))
    # ddof elements or fewer: NaN
    known = switch(count > 0, count, const_like(np.nan, count))
    out = true_div(sum_(squares, axis, keepdims=keepdims), known)
    return cast(out, "float16") if filled.dtype == "float16" else out


@documented_in("theano.tensor")
def nanstd(
    a: TensorLike, axis: Axis = None, ddof: TensorLike = 0, keepdims: bool = False
) -> TensorVariable:
    """The standard deviation of the elements that are not NaN.

    >>> import theano.tensor as T
    >>> T.nanstd([1.0, float("nan"), 3.0]).eval().item()
    1.0
    """
    return sqrt(nanvar(a, axis, ddof, keepdims))


def _nan_extreme(
    extreme: Callable[..., Any], a: TensorLike, axis: Axis, keepdims: bool, least: float
) -> Any:
    filled, bad = _without_nan(a, least)
    out = extreme(filled, axis, keepdims)
    if bad is None:
        return out
    return switch(all_(bad, axis, keepdims), const_like(np.nan, out), out)


@documented_in("theano.tensor")
def nanmax(a: TensorLike, axis: Axis = None, keepdims: bool = False) -> Any:
    """The largest of the elements that are not NaN; NaN if there are none.

    >>> import theano.tensor as T
    >>> T.nanmax([1.0, float("nan"), 2.0]).eval().item()
    2.0
    """
    return _nan_extreme(max_, a, axis, keepdims, -np.inf)


@documented_in("theano.tensor")
def nanmin(a: TensorLike, axis: Axis = None, keepdims: bool = False) -> Any:
    """The smallest of the elements that are not NaN; NaN if there are none.

    >>> import theano.tensor as T
    >>> T.nanmin([1.0, float("nan"), 2.0]).eval().item()
    1.0
    """
    return _nan_extreme(min_, a, axis, keepdims, np.inf)


@documented_in("theano.tensor")
def nanargmax(a: TensorLike, axis: Axis = None, keepdims: bool = False) -> Any:
    """The first position of the largest element that is not NaN; ValueError if all are NaN.

    >>> import theano.tensor as T
    >>> T.nanargmax([1.0, float("nan"), 2.0]).eval().item()
    2
    """
    return _place(argmax, a, -np.inf, axis, keepdims)


@documented_in("theano.tensor")
def nanargmin(a: TensorLike, axis: Axis = None, keepdims: bool = False) -> Any:
    """The first position of the smallest element that is not NaN; ValueError if all are NaN.

    >>> import theano.tensor as T
    >>> T.nanargmin([float("nan"), 1.0, 2.0]).eval().item()
    1
    """
    return _place(argmin, a, np.inf, axis, keepdims)


class _HasNumbers(Assert):
    """Returns its first input if all others are true; raises ValueError, as NumPy, otherwise."""

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        if not all(inputs[1:]):
            raise ValueError(self.msg)


_has_numbers = _HasNumbers("All-NaN slice encountered: there is no place to tell")


def _place(
    of: Callable[..., Any], a: TensorLike, instead: float, axis: Axis, keepdims: bool
) -> Any:
    filled, bad = _without_nan(a, instead)
    result = of(filled, axis, keepdims)
    return result if bad is None else _has_numbers(result, invert(any_(all_(bad, axis=axis))))


@documented_in("theano.tensor")
def count_nonzero(a: TensorLike, axis: Axis = None, keepdims: bool = False) -> Any:
    """The number of elements that are not 0.

    >>> import theano.tensor as T
    >>> T.count_nonzero([[0, 1], [2, 3]], axis=0).eval().tolist()
    [1, 2]
    """
    return sum_(truth(as_tensor_variable(a)), axis, "int64", keepdims)


@documented_in("theano.tensor")
def average(
    a: TensorLike,
    axis: Axis = None,
    weights: TensorLike = None,
    returned: bool = False,
    keepdims: bool = False,
) -> Any:
    """The weighted mean.

    Parameters
    ----------
    a : tensor or array
    axis : int or list of ints, optional
    weights : tensor or array, optional
        With the shape of ``a``, or of its dimensions ``axis``.
    returned : bool
        Also return the sum of the weights.
    keepdims : bool

    >>> import theano.tensor as T
    >>> T.average([1.0, 2.0], weights=[3.0, 1.0]).eval().item()
    1.25
    """
    a = as_tensor_variable(a)
    if weights is None:
        out = mean(a, axis, keepdims=keepdims)
        count = true_div(cast(a.size, out.dtype), cast(out.size, out.dtype))
        return (out, second(out, count)) if returned else out
    w = as_tensor_variable(weights)
    if w.ndim != a.ndim:
        along = axis_list("average", list(range(a.ndim)) if axis is None else axis, a.ndim)
        if axis is None or w.ndim != len(along):
            raise TypeError(
                f"average takes weights of the dimensions of {a}, or of axis, got {w} of {w.type}"
            )
        w = dimshuffle(w, *(along.index(d) if d in along else "x" for d in range(a.ndim)))
    dtype = upcast(a.dtype, w.dtype)
    dtype = "float64" if dtype in discrete_dtypes else dtype
    a, w = cast(a, dtype), cast(w, dtype)
    w = second(a, w)
    scale = sum_(w, axis, keepdims=keepdims)
    out = true_div(sum_(mul(a, w), axis, keepdims=keepdims), scale)
    return (out, scale) if returned else out
