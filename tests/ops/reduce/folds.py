"""Oracles for reductions: Python's own numbers, one line of elements at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """The dimensions that ``axis`` names, counted from the left."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(sorted({a % ndim for a in np.atleast_1d(axis).astype(int).tolist()}))


def over(fold: Callable[[list[Any]], Any], dtype: Any = None) -> Callable[..., np.ndarray]:
    """A reduction of arrays that calls ``fold`` on a list of Python numbers for each result."""

    def reference(x: Any, axis: Any = None, keepdims: bool = False, **more: Any) -> np.ndarray:
        x = np.asarray(x)
        gone = axes_of(axis, x.ndim)
        shape = tuple(n for i, n in enumerate(x.shape) if i not in gone)
        made = []
        for at in np.ndindex(*shape):
            place = iter(at)
            key = tuple(slice(None) if i in gone else next(place) for i in range(x.ndim))
            made.append(fold(np.asarray(x[key]).reshape(-1).tolist(), **more))
        out = np.array(made, dtype=dtype).reshape(shape)
        return np.expand_dims(out, gone) if keepdims else out

    return reference


def total(numbers: list[Any]) -> Any:
    """The sum: exact for integers, rounded once for floats."""
    if any(isinstance(n, complex) for n in numbers):
        return complex(math.fsum(n.real for n in numbers), math.fsum(n.imag for n in numbers))
    if any(isinstance(n, float) for n in numbers):
        return math.fsum(numbers)
    return sum(int(n) for n in numbers)


def first_of(numbers: list[Any], better: Callable[[Any, Any], bool]) -> int:
    """The position of the best number: the first of equal ones, and of NaN if there are any."""
    best = 0
    for i, n in enumerate(numbers):
        if n != n:
            return i
        if better(n, numbers[best]):
            best = i
    return best


def largest(numbers: list[Any]) -> Any:
    return numbers[first_of(numbers, lambda a, b: _key(a) > _key(b))]


def smallest(numbers: list[Any]) -> Any:
    return numbers[first_of(numbers, lambda a, b: _key(a) < _key(b))]


def _key(n: Any) -> tuple[float, float]:
    return (n.real, n.imag)
