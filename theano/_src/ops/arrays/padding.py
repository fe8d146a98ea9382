"""Padding, with NumPy's modes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.ground.documented import documented_in
from theano._src.ops.arrays.quantiles import median
from theano._src.ops.arrays.select import take
from theano._src.ops.core.cast import cast
from theano._src.ops.elementwise.arithmetic import clip, maximum, minimum, mod, mul, sub, true_div
from theano._src.ops.elementwise.compare import lt, switch
from theano._src.ops.elementwise.rounding import floor, round_half_to_even
from theano._src.ops.index.index import set_subtensor
from theano._src.ops.reduce.max_min import max as max_, min as min_
from theano._src.ops.reduce.statistics import mean
from theano._src.ops.shape.alloc import alloc
from theano._src.ops.shape.dims import dimshuffle
from theano._src.ops.shape.join import join
from theano._src.ops.shape.ranges import arange
from theano._src.ops.shape.shape import shape_i_op
from theano._src.ops.shape.static_values import as_length, known_int, total
from theano._src.types.aliases import IntLike, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import discrete_dtypes, integer_dtypes
from theano._src.types.tensor import TensorVariable


def _edge(i: Variable, n: Variable) -> Any:
    return clip(i, as_length(0), sub(n, as_length(1)))


def _wrap(i: Variable, n: Variable) -> Any:
    return mod(i, _some(n))


def _some(n: Variable) -> Any:
    """A length to divide by: at least 1, as an empty dimension has no valid index anyway."""
    return maximum(n, as_length(1))


def _symmetric(i: Variable, n: Variable) -> Any:
    at = mod(i, mul(_some(n), as_length(2)))
    return switch(lt(at, n), at, mul(n, as_length(2)) - as_length(1) - at)


def _reflect(i: Variable, n: Variable) -> Any:
    # the period of a single element would be 0
    period = _some(mul(sub(n, as_length(1)), as_length(2)))
    at = mod(i, period)
    return switch(lt(at, n), at, sub(period, at))


#: by mode: the index into the array, of length n, for index i of the padded one; i may be outside
_FROM: dict[str, Callable[[Any, Any], Any]] = {
    "edge": _edge,
    "wrap": _wrap,
    "symmetric": _symmetric,
    "reflect": _reflect,
}
#: by mode: the statistic that fills the padding
_OF: dict[str, Callable[..., Any]] = {
    "maximum": max_,
    "minimum": min_,
    "mean": mean,
    "median": median,
}
#: by mode: its keyword argument, if it has one
_TAKES = {
    "constant": "constant_values",
    "linear_ramp": "end_values",
    "reflect": "reflect_type",
    "symmetric": "reflect_type",
    **dict.fromkeys(_OF, "stat_length"),
}


@documented_in("theano.tensor")
def pad(
    array: TensorLike,
    pad_width: IntLike | Sequence[Any] | dict[int, Any],
    mode: str = "constant",
    **kwargs: Any,
) -> Any:
    """Pad an array at both ends of its dimensions, as in NumPy.

    Parameters
    ----------
    array : tensor or array
    pad_width : int, pair, list of pairs, or dict
        The number of elements before and after: one number for all, one pair for all dimensions,
        or one pair for each; a dict has widths by axis. Widths may be integer scalars.
    mode : str
        'constant' (``constant_values``, default 0), 'edge', 'reflect', 'symmetric', 'wrap',
        'linear_ramp' (``end_values``, default 0), 'maximum', 'minimum', 'mean', 'median' (these
        four with ``stat_length``), or 'empty', which pads with 0 here.

    >>> import theano.tensor as T
    >>> T.pad([1, 2, 3], (2, 1)).eval().tolist()
    [0, 0, 1, 2, 3, 0]
    >>> T.pad([1, 2, 3], 2, mode="reflect").eval().tolist()
    [3, 2, 1, 2, 3, 2, 1]
    """
    x = as_tensor_variable(array)
    widths = [tuple(_width(n) for n in pair) for pair in _pairs("pad_width", pad_width, x.ndim)]
    wanted = _TAKES.get(mode)
    if wanted is None and mode not in (*_FROM, "empty"):
        known = ", ".join(sorted({*_TAKES, *_FROM, "empty"}))
        raise ValueError(f"pad takes a mode out of {known}, got {mode!r}")
    for name in kwargs:
        if name != wanted:
            raise ValueError(f"unsupported keyword arguments for mode {mode!r}: {name}")
    if mode in ("constant", "empty"):
        return _constant(x, widths, kwargs.get("constant_values", 0))
    if kwargs.get("reflect_type", "even") != "even":
        raise NotImplementedError("pad with reflect_type='odd' is not carried: 2 * edge - pad(...)")
    given = kwargs.get(wanted, 0 if mode == "linear_ramp" else None) if wanted else None
    values = _pairs(wanted or "", None if mode in _FROM else given, x.ndim)
    for axis, (before, after) in enumerate(widths):
        if known_int(before) == 0 and known_int(after) == 0:
            continue
        n = shape_i_op(axis)(x)
        if mode in _FROM:
            index = arange(sub(as_length(0), before), total([n, after]))
            x = take(x, _FROM[mode](index, n), axis=axis)
        elif mode == "linear_ramp":
            low, high = (cast(v, x.dtype) for v in values[axis])
            x = join(
                axis,
                _ramp(x, axis, 0, before, low),
                x,
                _ramp(x, axis, -1, after, high)[_along(axis, slice(None, None, -1))],
            )
        else:
            x = join(
                axis,
                _repeated(_statistic(mode, x, axis, values[axis][0], False), axis, before),
                x,
                _repeated(_statistic(mode, x, axis, values[axis][1], True), axis, after),
            )
    return x


def _width(n: IntLike) -> Any:
    known = known_int(n)
    if known is not None and known < 0:
        raise ValueError(f"pad takes widths from 0, got {known}")
    v = as_tensor_variable(n)
    if v.ndim != 0 or v.dtype not in integer_dtypes:
        raise TypeError(f"pad takes integer scalars as pad_width, got {v} of {v.type}")
    return as_length(known if known is not None else v)


def _pairs(what: str, given: object, ndim: int) -> list[tuple[Any, Any]]:
    """Return a pair for each dimension, from one value, a pair, pairs or a dict, as in NumPy."""
    if isinstance(given, dict):
        result: list[tuple[Any, Any]] = [(0, 0)] * ndim
        for axis, pair in given.items():
            result[axis] = tuple(pair) if isinstance(pair, (list, tuple)) else (pair, pair)
        return result
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, (list, tuple)):
        return [(given, given)] * ndim
    rows = [
        tuple(e.tolist() if isinstance(e, np.ndarray) else e) if _is_row(e) else e for e in given
    ]
    if not any(isinstance(e, tuple) for e in rows):
        if len(rows) in (1, 2):
            return [(rows[0], rows[-1])] * ndim
    elif all(isinstance(e, tuple) and len(e) in (1, 2) for e in rows) and len(rows) in (1, ndim):
        pairs = [(e[0], e[-1]) for e in rows]
        return pairs * ndim if len(pairs) == 1 else pairs
    raise ValueError(f"pad takes {what} as one value, a pair, or {ndim} pairs, got {given!r}")


def _is_row(e: object) -> bool:
    return isinstance(e, (list, tuple)) or (isinstance(e, np.ndarray) and e.ndim > 0)


def _along(axis: int, part: slice | int) -> tuple[Any, ...]:
    return (slice(None),) * axis + (part,)


def _constant(x: TensorVariable, widths: list[tuple[Any, Any]], given: object) -> Any:
    if not _is_row(given) and not isinstance(given, dict):
        lengths = [shape_i_op(d)(x) for d in range(x.ndim)]
        if not lengths:
            return x
        frame = alloc(
            cast(given, x.dtype),
            *(total([b, n, a]) for (b, a), n in zip(widths, lengths, strict=True)),
        )
        inside = tuple(slice(b, total([b, n])) for (b, _), n in zip(widths, lengths, strict=True))
        return set_subtensor(frame[inside], x)
    for axis, (pair, ends) in enumerate(
        zip(widths, _pairs("constant_values", given, x.ndim), strict=True)
    ):
        ones = [shape_i_op(d)(x) for d in range(x.ndim)]
        parts = []
        for n, value in zip(pair, ends, strict=True):
            ones[axis] = n
            parts.append(alloc(cast(value, x.dtype), *ones))
        x = join(axis, parts[0], x, parts[1])
    return x


def _ramp(x: TensorVariable, axis: int, at: int, n: Variable, end: Variable) -> Any:
    """``n`` numbers from ``end`` to the element at an end of ``x``, excluding that element."""
    edge = x[_along(axis, slice(at, None) if at else slice(0, 1))]
    count = dimshuffle(arange(n), *(0 if d == axis else "x" for d in range(x.ndim)))
    inner = "float64" if x.dtype in discrete_dtypes else x.dtype
    share = true_div(cast(count, inner), cast(maximum(n, as_length(1)), inner))
    edge = dimshuffle(_unlong(edge, axis), *_kept(axis, x.ndim))
    start = cast(end, inner)
    result = start + (cast(edge, inner) - start) * share
    return cast(floor(result), x.dtype) if x.dtype in discrete_dtypes else result


def _unlong(x: TensorVariable, axis: int) -> Any:
    return x[_along(axis, 0)]


def _kept(axis: int, ndim: int) -> list[Any]:
    rest = iter(range(ndim - 1))
    return ["x" if d == axis else next(rest) for d in range(ndim)]


def _statistic(mode: str, x: TensorVariable, axis: int, length: IntLike | None, last: bool) -> Any:
    if length is not None:
        n = shape_i_op(axis)(x)
        length = minimum(as_length(length), n)
        x = x[_along(axis, slice(sub(n, length), None) if last else slice(0, length))]
    result = _OF[mode](x, axis=axis, keepdims=True)
    if x.dtype in discrete_dtypes and result.dtype != x.dtype:
        result = round_half_to_even(result)
    return cast(result, x.dtype)


def _repeated(x: TensorVariable, axis: int, n: Variable) -> Any:
    return alloc(x, *(n if d == axis else shape_i_op(d)(x) for d in range(x.ndim)))
