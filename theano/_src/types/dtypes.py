"""Dtype names, and type promotion."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.suggest import nearest

bool_dtypes = ("bool",)
int_dtypes = ("int8", "int16", "int32", "int64")
uint_dtypes = ("uint8", "uint16", "uint32", "uint64")
integer_dtypes = int_dtypes + uint_dtypes
discrete_dtypes = bool_dtypes + integer_dtypes
float_dtypes = ("float16", "float32", "float64")
complex_dtypes = ("complex64", "complex128")
continuous_dtypes = float_dtypes + complex_dtypes
all_dtypes = discrete_dtypes + continuous_dtypes

NUMPY_DTYPES = {name: np.dtype(name) for name in all_dtypes}


@cache
def _promote(dtypes: tuple[str, ...]) -> str:
    result = NUMPY_DTYPES[dtypes[0]]
    for name in dtypes[1:]:
        result = np.promote_types(result, NUMPY_DTYPES[name])
    return result.name


@documented_in("theano.scalar.basic")
def upcast(dtype: Any, *dtypes: Any) -> str:
    """Return the smallest dtype that holds the values of all the given dtypes.

    This is NumPy's promotion of arrays. Under ``cast_policy='numpy+floatX'`` with ``floatX``
    float32, integers with float32 stay float32.

    >>> upcast("int8", "int16"), upcast("int32", "float32")
    ('int16', 'float64')
    """
    try:
        text = _promote((dtype, *dtypes))
    except KeyError:
        # not all are names
        dtype, *dtypes = map(known_dtype, (dtype, *dtypes))  # type: ignore[assignment]
        text = _promote((dtype, *dtypes))
    if (
        text == "float64"
        and config.cast_policy == "numpy+floatX"
        and config.floatX == "float32"
        and "float64" not in (dtype, *dtypes)
    ):
        return "float32"
    return text


def known_dtype(dtype: object) -> str:
    """Return the name of a tensor dtype, with 'floatX' resolved; raise TypeError for others."""
    if type(dtype) is str and dtype in NUMPY_DTYPES:
        return dtype
    if isinstance(dtype, str) and dtype == "floatX":
        return str(config.floatX)
    if hasattr(dtype, "owner"):
        raise TypeError(f"a dtype is a name, got the variable {dtype}; its own is {dtype}.dtype")
    try:
        # NOTE: NumPy reads None as float64
        name = "None" if dtype is None else np.dtype(dtype).name  # type: ignore[call-overload]
    except TypeError:
        name = str(dtype)
    if name not in NUMPY_DTYPES:
        near = nearest(name, all_dtypes)
        raise TypeError(
            f"Unsupported dtype for TensorType: {dtype!r}; tensors are of {', '.join(all_dtypes)}"
            + (f"; did you mean {near!r}?" if near else "")
        )
    return str(name)
