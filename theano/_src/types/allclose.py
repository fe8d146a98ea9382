"""Approximate equality of arrays, with tolerances by dtype."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.types.dtypes import continuous_dtypes

# (atol, rtol) for each value of config.tensor.cmp_sloppy
_BY_SLOPPINESS = (
    {"float16": (1e-3, 1e-3), "float32": (1e-5, 1e-5), "float64": (1e-8, 1e-5)},
    {"float16": (5e-3, 1e-2), "float32": (1e-4, 1e-3), "float64": (1e-3, 1e-4)},
    {"float16": (1e-2, 5e-2), "float32": (5e-4, 1e-3), "float64": (1e-3, 1e-4)},
)
_SET = _BY_SLOPPINESS[int(config.tensor.cmp_sloppy)]
(float16_atol, float16_rtol) = _SET["float16"]
(float32_atol, float32_rtol) = _SET["float32"]
(float64_atol, float64_rtol) = _SET["float64"]


def tolerances(a: Any, b: Any) -> tuple[float, float]:
    """Return ``(atol, rtol)`` for two arrays: the tolerances of the narrower dtype.

    Programs may override them by setting ``theano.tensor.basic.float32_rtol`` and so on.

    >>> tolerances(np.float32(0), np.float64(0))
    (1e-05, 1e-05)
    """
    names = {np.asarray(a).dtype.name, np.asarray(b).dtype.name}
    if "float16" in names:
        kind = "float16"
    else:
        kind = "float32" if names & {"float32", "complex64"} else "float64"
    # NOTE: programs assign to the public module, which may not be loaded yet
    public = sys.modules.get("theano.tensor.basic")
    atol, rtol = _SET[kind]
    return getattr(public, f"{kind}_atol", atol), getattr(public, f"{kind}_rtol", rtol)


def allclose(a: Any, b: Any, rtol: float | None = None, atol: float | None = None) -> bool:
    """Whether all elements are close; the default tolerances depend on the dtypes.

    >>> allclose(-0.311023883434, -0.311022856884)
    True
    """
    a, b = np.asarray(a), np.asarray(b)
    atol_, rtol_ = tolerances(a, b)
    rtol = rtol_ if rtol is None else rtol
    return bool(np.allclose(a, b, rtol=rtol, atol=atol_ if atol is None else atol))


@documented_in("theano.tensor.type")
def values_eq_approx(
    a: Any,
    b: Any,
    allow_remove_inf: bool = False,
    allow_remove_nan: bool = False,
    rtol: float | None = None,
    atol: float | None = None,
) -> bool:
    """Whether arrays have the same shape and dtype and are close; NaN is close to NaN.

    Parameters
    ----------
    a, b : arrays
    allow_remove_inf, allow_remove_nan : bool
        Accept any value of ``b`` where ``a`` is infinite, or NaN.
    rtol, atol : float, optional
        Override the tolerances of the dtype.

    >>> values_eq_approx(np.array([1.0, np.inf]), np.array([1.0, 2.0]), allow_remove_inf=True)
    True
    """
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.name not in continuous_dtypes:
        return bool(np.array_equal(a, b))
    atol_, rtol_ = tolerances(a, b)
    rtol, atol = rtol_ if rtol is None else rtol, atol_ if atol is None else atol
    ok = np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
    if allow_remove_nan:
        ok |= np.isnan(a)
    if allow_remove_inf:
        ok |= np.isinf(a)
    return bool(np.all(ok))


@documented_in("theano.tensor.type")
def values_eq_approx_remove_inf(a: Any, b: Any) -> bool:
    """Like ``values_eq_approx``, but accept any value of ``b`` where ``a`` is infinite.

    >>> values_eq_approx_remove_inf(np.array([np.inf]), np.array([1.0]))
    True
    """
    return values_eq_approx(a, b, True)


@documented_in("theano.tensor.type")
def values_eq_approx_remove_nan(a: Any, b: Any) -> bool:
    """Like ``values_eq_approx``, but accept any value of ``b`` where ``a`` is NaN.

    >>> values_eq_approx_remove_nan(np.array([np.nan]), np.array([1.0]))
    True
    """
    return values_eq_approx(a, b, False, True)


@documented_in("theano.tensor.type")
def values_eq_approx_remove_inf_nan(a: Any, b: Any) -> bool:
    """Like ``values_eq_approx``, but accept any value of ``b`` where ``a`` is not finite.

    >>> values_eq_approx_remove_inf_nan(np.array([np.nan, -np.inf]), np.zeros(2))
    True
    """
    return values_eq_approx(a, b, True, True)


@documented_in("theano.tensor.type")
def values_eq_approx_always_true(a: Any, b: Any) -> bool:
    """Return True for any ``a`` and ``b``: for values that need not agree.

    >>> values_eq_approx_always_true(1, 2)
    True
    """
    return True


@documented_in("theano.tensor.basic")
def check_equal_numpy(x: Any, y: Any) -> bool:
    """Whether ``x`` equals ``y``; arrays of the same dtype and shape may differ by 1e-10.

    For random states, the whole states are compared.

    >>> check_equal_numpy(np.zeros(2), np.zeros(3))
    False
    """
    if isinstance(x, np.ndarray) and isinstance(y, np.ndarray):
        same = x.dtype == y.dtype and x.shape == y.shape
        return same and bool(np.all(abs(x - y) < 1e-10))
    if isinstance(x, np.random.RandomState) and isinstance(y, np.random.RandomState):
        states = x.get_state(), y.get_state()
        return all(np.array_equal(a, b) for a, b in zip(*states, strict=True))
    return bool(x == y)
