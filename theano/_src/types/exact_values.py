"""Test whether a cast to another dtype keeps all values."""

from __future__ import annotations

from typing import Any

import numpy as np

#: each dtype holds all Python ints of at most this absolute value exactly
EXACT_UP_TO = {
    "int8": 2**7 - 1,
    "int16": 2**15 - 1,
    "int32": 2**31 - 1,
    "int64": 2**63 - 1,
    "float16": 2**11,
    "float32": 2**24,
    "float64": 2**53,
    "complex64": 2**24,
    "complex128": 2**53,
}


def equal_numbers(a: Any, b: Any) -> bool:
    """Whether two arrays hold equal numbers; NaN is equal to itself.

    >>> equal_numbers(np.array([np.nan, 1]), np.array([np.nan, 1]))
    True
    """
    floats = a.dtype.kind in "fc" and b.dtype.kind in "fc"
    with np.errstate(all="ignore"):
        return bool(np.array_equal(a, b, equal_nan=floats))


def same_numbers(cast: Any, given: Any) -> bool:
    """Whether ``cast`` holds the same numbers as ``given``; NaN is equal to itself.

    >>> x = np.array([0.5, np.nan, 0.1])
    >>> same_numbers(x[:2].astype("float32"), x[:2]), same_numbers(x.astype("float32"), x)
    (True, False)
    """
    same = equal_numbers(cast, given)
    if given.dtype.kind == "f" and cast.dtype.kind in "iu":
        # each float of that size represents several ints
        same = same and bool(np.all(np.abs(given) < 2.0**63))
    return same
