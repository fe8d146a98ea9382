"""Compose two indices of one dimension: ``x[a:b:s][c:d:t]`` and ``x[a:b:s][i]``, exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from theano._src.graph.graph import Variable
from theano._src.ops.elementwise.arithmetic import add, minimum, mul, sub
from theano._src.ops.elementwise.compare import gt, lt, switch
from theano._src.ops.index.slices import int64, slice_ends, static_or_variable, symbol
from theano._src.ops.shape.shape import is_count
from theano._src.rules.lengths import same_number

#: a part of an index: None, an integer, or an int64 variable
Part = Any


def merged(
    first: slice, then: Any, length: Callable[[], Any], by_length: bool = True, long: bool = False
) -> Any:
    """Return ``then`` applied to ``first`` as one slice or integer; None if that is unclear.

    ``length`` returns the length of the dimension, and is called only where it matters. If that
    is symbolic, the new bounds take some ten scalar ops, which cost more than a view. Without
    ``by_length``, only known lengths are used, and symbolic ones to merge two starts in a ``long``
    chain.
    """
    a, b, s = (
        static_or_variable(first.start),
        static_or_variable(first.stop),
        static_or_variable(first.step),
    )
    s = 1 if s is None else s
    if not isinstance(s, int) or s == 0:
        return None
    if not isinstance(then, slice):
        return _index_of_slice(a, b, s, static_or_variable(then))
    c, d, t = (
        static_or_variable(then.start),
        static_or_variable(then.stop),
        static_or_variable(then.step),
    )
    t = 1 if t is None else t
    if not isinstance(t, int) or t == 0:
        return None
    if c is None and d is None and t == 1:
        return first
    if a is None and b is None and s == 1:
        return then
    result = _from_front(a, b, s, c, d, t) if s > 0 and t > 0 else None
    if result is not None:
        return result
    starts = long and b is None and d is None and s == t == 1
    if not (by_length or starts) and not all(p is None or isinstance(p, int) for p in (a, b, c, d)):
        return None
    n = static_or_variable(length())
    return _by_length(a, b, s, c, d, t, n) if by_length or starts or isinstance(n, int) else None


def _index_of_slice(a: Part, b: Part, s: int, i: Part) -> Any:
    """Return ``x[a:b:s][i]`` as one index if it raises for the same lengths; else None."""
    if a is None and b is None and s == -1:
        return _minus(-1, i)
    if s < 0:
        return None
    a = 0 if a is None else a
    if _not_negative(a) and _not_negative(i):
        at = _plus(a, _times(i, s))
        inside = b is None or (isinstance(at, int) and isinstance(b, int) and 0 <= at < b)
        return at if inside else None
    last = isinstance(b, int) and isinstance(i, int) and b < 0 and i < 0
    return b + i if last and s == 1 and isinstance(a, int) and a == 0 else None


def _from_front(a: Part, b: Part, s: int, c: Part, d: Part, t: int) -> slice | None:
    """Compose slices with bounds from the front, or stops from the end: no length is needed."""
    a, c = 0 if a is None else a, 0 if c is None else c
    if not (_not_negative(a) and _not_negative(c)):
        return None
    if d is None:
        stop = b
    elif _not_negative(d):
        stop = _plus(a, _times(d, s))
        if b is not None:
            if not _not_negative(b):
                return None
            stop = _least(b, stop)
    elif isinstance(d, int) and s == 1 and (b is None or (isinstance(b, int) and b < 0)):
        stop = d if b is None else b + d
    else:
        return None
    return _slice(_plus(a, _times(c, s)), stop, s * t)


def _by_length(a: Part, b: Part, s: int, c: Part, d: Part, t: int, n: Part) -> slice:
    """Compose slices in terms of the length of the dimension: any bounds, any steps but 0."""
    if s == 1 and b is None and _within(a, n):
        first, count = a, _minus(n, a)
    else:
        first, count, _ = slice_ends(a, b, s, n)
    second, taken, _ = slice_ends(c, d, t, count)
    start, step = _plus(first, _times(second, s)), s * t
    if step > 0 and b is None and d is None and s > 0:
        if isinstance(start, Variable) and s == t == 1 and isinstance(n, Variable):
            # slices of this one need not check again that their start is in range
            start.tag.at_most = n
        return _slice(start, None, step)
    stop = _plus(start, _times(taken, step))
    if step < 0:
        if isinstance(stop, int) and isinstance(taken, int) and isinstance(n, int):
            stop = n if taken == 0 else stop - n - 1 if stop < 0 else stop
        else:
            # NOTE: going back, a stop below 0 would count from the end; -1 - n never does
            before = switch(
                lt(symbol(stop), int64(0)), symbol(_minus(stop, _plus(n, 1))), symbol(stop)
            )
            stop = switch(gt(symbol(taken), int64(0)), before, symbol(n))
    return _slice(start, stop, step)


def _slice(start: Part, stop: Part, step: int) -> slice:
    start = None if isinstance(start, int) and start == 0 and step > 0 else start
    return slice(start, stop, None if step == 1 else step)


def _not_negative(v: Part) -> bool:
    if isinstance(v, int):
        return v >= 0
    return v is not None and (is_count(v) or getattr(v.tag, "at_most", None) is not None)


def _within(v: Part, n: Part) -> bool:
    """Whether a start is known to lie between 0 and the length."""
    if not isinstance(v, Variable) or not isinstance(n, Variable):
        return False
    most = getattr(v.tag, "at_most", None)
    return most is not None and same_number(most, n)


def _plus(a: Part, b: Part) -> Part:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if isinstance(a, int) and a == 0:
        return b
    return a if isinstance(b, int) and b == 0 else add(symbol(a), symbol(b))


def _minus(a: Part, b: Part) -> Part:
    return a - b if isinstance(a, int) and isinstance(b, int) else sub(symbol(a), symbol(b))


def _times(a: Part, s: int) -> Part:
    if isinstance(a, int):
        return a * s
    return a if s == 1 else mul(a, int64(s))


def _least(a: Part, b: Part) -> Part:
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else minimum(symbol(a), symbol(b))
