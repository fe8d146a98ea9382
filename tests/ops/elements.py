"""Oracles for elementwise ops: Python's own numbers, one element at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

DISCRETE = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
)  # fmt: skip
INTS = DISCRETE[1:]
FLOATS = ("float16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
REALS = DISCRETE + FLOATS
ALL = REALS + COMPLEX


def promoted(*dtypes: str) -> str:
    """The dtype of a sum of arrays of these dtypes, added from left to right."""
    return reduce(np.promote_types, map(np.dtype, dtypes)).name


def wrapped(value: Any, dtype: np.dtype[Any]) -> Any:
    """A whole number modulo the range of an integer dtype; anything else as it is."""
    if dtype.kind not in "iu":
        return value
    size = 1 << (8 * dtype.itemsize)
    value = int(value) % size
    return value - size if dtype.kind == "i" and value >= size // 2 else value


def by_python(function: Callable[..., Any], out: str | None = None) -> Callable[..., Any]:
    """A function of arrays that calls ``function`` on Python numbers, and wraps integers."""

    def reference(*arrays: Any) -> np.ndarray:
        given = np.broadcast_arrays(*arrays)
        dtype = np.dtype(out) if out else np.result_type(*given)
        flat = [g.ravel().tolist() for g in given]
        made = [wrapped(function(*numbers), dtype) for numbers in zip(*flat, strict=True)]
        return np.array(made, dtype).reshape(given[0].shape)

    return reference
