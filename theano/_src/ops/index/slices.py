"""Arithmetic of slices: canonical bounds and lengths, as symbolic integers and as arrays."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from theano._src.graph.graph import Constant, Variable
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ground.length_numbers import are_numbers
from theano._src.ops.core.cast import cast
from theano._src.ops.elementwise.arithmetic import abs_, add, int_div, maximum, minimum, mul, sub
from theano._src.ops.elementwise.compare import ge, lt, switch
from theano._src.types.aliases import IntLike
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.tensor import TensorConstant

#: start or step of a slice at run time
Bound: TypeAlias = Array | int | None

_INT64 = np.iinfo(np.int64)

# A symbolic integer below is a Python int if its value is known, else an int64 0-d variable, so
# that known values are folded while the expression is built.


def int64(value: int) -> TensorConstant:
    """An int64 constant; values out of range are clipped, as slices clip anyway."""
    return constant(np.asarray(max(_INT64.min, min(_INT64.max, value)), "int64"))


def static_or_variable(part: IntLike | None) -> Any:
    """Return a part of an index as None, a Python int if it is known, or an int64 variable."""
    if part is None or isinstance(part, (int, np.integer)):
        return part if part is None else int(part)
    if isinstance(part, Constant):
        return int(part.data)
    part = as_tensor_variable(part)
    if part.dtype == "uint64":
        part = minimum(part, constant(np.asarray(_INT64.max, "uint64")))
    return part if part.dtype == "int64" else cast(part, "int64")


def symbol(value: IntLike) -> Any:
    """Return a variable; a Python int becomes a constant."""
    return int64(value) if isinstance(value, int) else value


def _min(a: IntLike, b: IntLike) -> Any:
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else minimum(symbol(a), symbol(b))


def _max(a: IntLike, b: IntLike) -> Any:
    return max(a, b) if isinstance(a, int) and isinstance(b, int) else maximum(symbol(a), symbol(b))


def _add(a: IntLike, b: IntLike) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if isinstance(b, int) and b == 0:
        return a
    return b if isinstance(a, int) and a == 0 else add(symbol(a), symbol(b))


def _sub(a: IntLike, b: IntLike) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return a - b
    return a if isinstance(b, int) and b == 0 else sub(symbol(a), symbol(b))


def _switch(negative: IntLike, a: IntLike, b: IntLike) -> Any:
    """``a`` if ``negative`` is below 0, else ``b``."""
    if isinstance(negative, int):
        return a if negative < 0 else b
    if a is b or (isinstance(a, int) and isinstance(b, int) and a == b):
        return a
    return switch(lt(negative, int64(0)), symbol(a), symbol(b))


def _bound(part: IntLike, n: IntLike, low: int, high: IntLike) -> Any:
    """Return a bound counted from the front, clipped to ``low`` and ``high``."""
    if isinstance(part, int):
        return _max(_add(part, n), low) if part < 0 else _min(part, high)
    return _switch(part, _max(_add(part, n), low), _min(part, high))


def _ends(
    start: IntLike | None, stop: IntLike | None, n: IntLike, forward: bool
) -> tuple[Any, Any]:
    if forward:
        first = 0 if start is None else _bound(start, n, 0, n)
        return first, n if stop is None else _bound(stop, n, 0, n)
    last = _sub(n, 1)
    first = last if start is None else _bound(start, n, -1, last)
    return first, -1 if stop is None else _bound(stop, n, -1, last)


def _steps(distance: IntLike, stride: IntLike) -> Any:
    """The number of strides that begin within a distance: 0 if that is not positive."""
    distance = _max(distance, 0)
    if isinstance(stride, int) and stride == 1:
        return distance
    if isinstance(distance, int) and isinstance(stride, int):
        return (distance - 1) // stride + 1
    # distance + stride - 1 could overflow
    return add(int_div(symbol(_sub(distance, 1)), symbol(stride)), int64(1))


def _length_of(step: Variable) -> Any:
    """The absolute value of a step; clipped, as the lowest int64 has none."""
    return abs_(maximum(step, int64(-np.iinfo("int64").max)))


def slice_ends(
    start: IntLike | None, stop: IntLike | None, step: IntLike | None, n: IntLike
) -> tuple[Any, Any, Any]:
    """Return the first position, number of elements and step of a slice of ``n`` elements.

    The arguments are None, integers or integer variables. The results are integers if their
    values are known, else int64 variables.
    """
    start, stop, step, n = (
        static_or_variable(start),
        static_or_variable(stop),
        static_or_variable(step),
        static_or_variable(n),
    )
    step = 1 if step is None else step
    if isinstance(step, int):
        if step == 0:
            raise ValueError("slice step cannot be zero")
        first, end = _ends(start, stop, n, step > 0)
        if step == 1 and type(first) is int and first == 0:
            return 0, end, 1  # the end is within 0 and n already
        distance = _sub(end, first) if step > 0 else _sub(first, end)
        return first, _steps(distance, abs(step)), step
    up, up_end = _ends(start, stop, n, True)
    down, down_end = _ends(start, stop, n, False)
    # a step of 0 raises when the slice is read: any length will do
    stride = maximum(_length_of(step), int64(1))
    first = _switch(step, down, up)
    distance = _switch(step, _sub(down, down_end), _sub(up_end, up))
    return first, _steps(distance, stride), step


def slice_length(
    start: IntLike | None, stop: IntLike | None, step: IntLike | None, n: IntLike
) -> Any:
    """The number of elements of a slice of ``n`` elements, as an int64 variable."""
    return symbol(slice_ends(start, stop, step, n)[1])


@documented_in("theano.tensor.subtensor")
def get_canonical_form_slice(theslice: slice | IntLike, length: IntLike) -> tuple[Any, int | Any]:
    """Return an equivalent slice with a positive step and bounds within ``length``.

    Returns ``(slice, direction)``, where ``x[theslice]`` is ``x[slice][::direction]``. An integer
    index is returned counted from the front, with direction 1.

    >>> import theano.tensor as T
    >>> got, direction = T.subtensor.get_canonical_form_slice(slice(None, None, -2), 5)
    >>> [int(p.eval()) for p in (got.start, got.stop, got.step)], direction
    ([0, 5, 2], -1)
    """
    n = static_or_variable(length)
    if not isinstance(theslice, slice):
        at = static_or_variable(theslice)
        return symbol(_switch(at, _add(at, n), at)), 1
    first, count, step = slice_ends(theslice.start, theslice.stop, theslice.step, n)
    if isinstance(step, int) and step > 0:
        stop = _add(first, _scaled(count, step))
        return slice(symbol(first), symbol(_min(stop, n)), symbol(step)), 1
    stride = -step if isinstance(step, int) else _length_of(step)
    # for a negative step the last element of the slice comes first
    low = _add(first, _scaled(_max(_sub(count, 1), 0), step))
    low = low if isinstance(step, int) else _switch(step, low, first)
    low = _max(low, 0)
    stop = _min(_add(low, _scaled(count, stride)), n)
    direction = -1 if isinstance(step, int) else switch(ge(step, int64(0)), int64(1), int64(-1))
    return slice(symbol(low), symbol(stop), symbol(stride)), direction


def _scaled(a: IntLike, b: IntLike) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    return a if isinstance(b, int) and b == 1 else mul(symbol(a), symbol(b))


def concrete(x: object) -> bool:
    """Whether a value is known, not traced."""
    return x is None or isinstance(x, (int, np.integer, np.ndarray))


def window(start: Bound, step: Bound, count: int, n: int) -> slice:
    """A slice with known bounds that takes ``count`` of ``n`` elements, whatever its stop was."""
    step = 1 if step is None else int(step)
    if n:
        # a longer step takes one element as well, but may be too large for XLA
        step = max(-n, min(step, n))
    first, _, _ = slice_ends(None if start is None else int(start), None, step, n)
    stop = first + step * count
    # a stop below 0 would count from the end
    return slice(first, stop if stop >= 0 else None, step) if count else slice(0, 0)


def whole(start: Bound, step: Bound, count: Any) -> slice | None:
    """The slice ``0:count`` of a symbolic length, if start is 0 and step 1, else None."""
    return slice(0, count) if forward(step) and (start is None or int(start) == 0) else None


def read_slice(
    xp: ArrayNamespace, x: Array, axis: int, start: Bound, step: Bound, count: int
) -> Any:
    """Read the ``count`` elements of a slice along one dimension; bounds may be traced."""
    n = x.shape[axis]
    if concrete(start) and concrete(step):
        known = window(start, step, count, n) if are_numbers(n) else whole(start, step, count)
        if known is not None:
            return x[(slice(None),) * axis + (known,)]
    if forward(step):
        starts = [0] * x.ndim
        starts[axis] = first_forward(xp, start, n)
        return xp.dynamic_slice(x, starts, (*x.shape[:axis], count, *x.shape[axis + 1 :]))
    # in range, as the length was derived from the bounds
    return xp.take(x, positions(xp, start, step, count, n), axis=axis, mode="clip")


def forward(step: Bound) -> bool:
    """Whether a step is known to be 1."""
    return step is None or (concrete(step) and int(step) == 1)


def signed(xp: ArrayNamespace, part: Bound) -> Any:
    """Return a part of a slice as int64; larger values are clipped, beyond any length."""
    value = xp.asarray(part)
    if value.dtype == "uint64":
        value = xp.minimum(value, xp.asarray(_INT64.max, "uint64"))
    return value.astype("int64")


def first_forward(xp: ArrayNamespace, start: Bound, n: int) -> Any:
    """The first position of a slice with step 1 of ``n`` elements; ``start`` may be traced."""
    if concrete(start) and (start is None or int(start) == 0):
        return 0
    if concrete(start) and are_numbers(n):
        return window(start, 1, 1, n).start
    start = signed(xp, start)
    return xp.where(start < 0, xp.maximum(start + n, 0), xp.minimum(start, n))


def positions(xp: ArrayNamespace, start: Bound, step: Bound, count: int, n: int) -> Any:
    """The ``count`` positions that a slice takes from ``n`` elements; bounds may be traced.

    ``start`` and ``step`` are None or integer scalars; ``count`` was derived from them, so every
    position is in range.
    """
    step = xp.asarray(1, "int64") if step is None else signed(xp, step)
    back = step < 0
    if start is None:
        first = xp.where(back, n - 1, 0)
    else:
        start = signed(xp, start)
        low = xp.where(back, -1, 0)
        high = xp.where(back, n - 1, n)
        first = xp.where(start < 0, xp.maximum(start + n, low), xp.minimum(start, high))
    return first + step * xp.arange(count, dtype="int64")
