"""Oracles for functions of one or two numbers: mpmath with 40 digits, one element at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

from tests.ops.elements import DISCRETE, promoted

_NARROW = {"bool", "int8", "int16", "uint8", "uint16"}


def to_float(*dtypes: str) -> str:
    """The dtype of a float function of these dtypes."""
    wide = {d: "float32" if d in _NARROW else "float64" for d in DISCRETE}
    return promoted(*[wide.get(d, d) for d in dtypes])


def by_mpmath(function: Callable[..., Any]) -> Callable[..., np.ndarray]:
    """A function of arrays from one of mpmath numbers; a complex result of real inputs is nan."""

    def one(*numbers: Any) -> Any:
        with mpmath.workdps(40):
            made = function(*map(mpmath.mpmathify, numbers))
            if any(isinstance(n, complex) for n in numbers):
                return complex(made)
            return float("nan") if getattr(made, "imag", 0) != 0 else float(made.real)

    def reference(*arrays: Any) -> np.ndarray:
        given = np.broadcast_arrays(*arrays)
        dtype = "complex128" if any(g.dtype.kind == "c" for g in given) else "float64"
        flat = [g.ravel().tolist() for g in given]
        made = [one(*numbers) for numbers in zip(*flat, strict=True)]
        return np.array(made, dtype).reshape(given[0].shape)

    return reference
