"""NumPy's elementwise functions that no family has under NumPy's name, with NumPy's signatures.

Each is built from ops of the families, so it has their gradients and runs on both engines. The
table in ``protocols`` finds them by name, for calls such as ``np.modf(x)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.ops.core import cast
from theano._src.ops.elementwise import arithmetic, compare, complex_parts, rounding, trig
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import upcast
from theano._src.types.tensor import TensorVariable


def _is_complex(x: TensorVariable) -> bool:
    return bool(x.type.numpy_dtype.kind == "c")


def _floats(*values: TensorLike) -> list[TensorVariable]:
    """Convert all values to tensors of their common floating-point dtype."""
    results = [as_tensor_variable(v) for v in values]
    dtype = upcast(*(v.dtype for v in results))
    if np.dtype(dtype).kind in "biu":
        dtype = "float64"
    return [v if v.dtype == dtype else cast.cast(v, dtype) for v in results]


def _mirrored(op: Callable[..., Any], mirror: Callable[..., Any]) -> Callable[..., Any]:
    def compared(x1: TensorLike, x2: TensorLike) -> Any:
        # as in Python, where `2 < x` calls x.__gt__(2)
        if isinstance(x2, Variable) and not isinstance(x1, Variable):
            return mirror(x2, x1)
        return op(x1, x2)

    return compared


less = _mirrored(compare.lt, compare.gt)
less_equal = _mirrored(compare.le, compare.ge)
greater = _mirrored(compare.gt, compare.lt)
greater_equal = _mirrored(compare.ge, compare.le)


def iscomplexobj(x: TensorLike) -> bool:
    return _is_complex(as_tensor_variable(x))


def isrealobj(x: TensorLike) -> bool:
    return not iscomplexobj(x)


def fabs(x: TensorLike) -> Any:
    (x,) = _floats(x)
    return arithmetic.abs_(x)


def modf(x: TensorLike) -> tuple[Any, Any]:
    (x,) = _floats(x)
    whole = rounding.trunc(x)
    # inf - inf would be NaN
    return compare.switch(compare.isinf(x), 0, x - whole), whole


def ldexp(x1: TensorLike, x2: TensorLike) -> Any:
    (a,), k = _floats(x1), as_tensor_variable(x2)
    half = arithmetic.int_div(k, 2)
    # in two steps: 2 ** k alone may overflow where the product does not
    powers = (arithmetic.pow(2.0, cast.cast(n, a.dtype)) for n in (half, k - half))
    for power in powers:
        a = a * cast.cast(power, a.dtype)
    return a


def round(a: TensorLike, decimals: int = 0) -> Any:
    """Round halves to even, as NumPy; ``theano.tensor.round`` rounds them away from zero."""
    a = as_tensor_variable(a)
    if a.type.numpy_dtype.kind in "biu":
        if decimals < 0:
            raise TypeError(
                f"numpy.round of symbolic integers takes decimals >= 0, got {decimals}; "
                "cast to floats first"
            )
        return a
    if decimals == 0:
        return rounding.round_half_to_even(a)
    scale = np.asarray(10.0 ** abs(decimals), a.dtype)
    if decimals > 0:
        return rounding.round_half_to_even(a * scale) / scale
    return rounding.round_half_to_even(a / scale) * scale


around = round


def clip(
    a: TensorLike,
    a_min: TensorLike = None,
    a_max: TensorLike = None,
    *,
    min: TensorLike = None,
    max: TensorLike = None,
) -> Any:
    low, high = a_min if min is None else min, a_max if max is None else max
    if low is not None:
        a = arithmetic.maximum(a, low)
    if high is not None:
        # the upper bound wins, as in NumPy
        a = arithmetic.minimum(a, high)
    return as_tensor_variable(a)


def angle(z: TensorLike, deg: bool = False) -> Any:
    z = as_tensor_variable(z)
    if _is_complex(z):
        result = complex_parts.angle(z)
    else:
        (z,) = _floats(z)
        result = trig.arctan2(z.zeros_like(), z)
    return trig.rad2deg(result) if deg else result
