"""Checks of values: whether they changed, share memory, are valid or are equal."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.ops.shape.alloc import AllocEmpty
from theano._src.types.allclose import values_eq_approx
from theano._src.types.memory import may_share_memory
from theano._src.types.tensor import TensorType


def is_unchanged(v: Variable, before: Any, after: Any) -> bool:
    """Whether two values of one variable are exactly equal; NaN equals NaN."""
    if isinstance(before, np.ndarray) and isinstance(after, np.ndarray):
        if before.dtype != after.dtype or before.shape != after.shape:
            return False
        return np.array_equal(before, after, equal_nan=before.dtype.kind in "fc")
    return bool(v.type.values_eq(before, after))


def share_memory(a: Any, b: Any) -> bool:
    """Whether writing to one of two values may change the other."""
    if isinstance(a, list):
        return a is b or any(share_memory(x, b) for x in a)
    if isinstance(b, list):
        return any(share_memory(a, x) for x in b)
    if isinstance(a, np.random.RandomState | np.random.Generator):
        return a is b
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and not (a.size and b.size):
        return False
    return may_share_memory(a, b, raise_other_type=False)


def is_undefined(v: Variable) -> bool:
    """Whether a variable is uninitialized memory, which may hold any value."""
    return v.owner is not None and isinstance(v.owner.op, AllocEmpty)


def problem_of(v: Variable, value: Any, finite: bool) -> str | None:
    """Describe what is wrong with a value of a variable; None if it is valid."""
    if not v.type.is_valid_value(value):
        try:
            v.type.filter(value, strict=True)
        except Exception as e:
            return str(e)
        return str(v.type.value_validity_msg(value))
    if not finite or is_undefined(v) or not isinstance(value, np.ndarray | np.generic):
        return None
    if value.dtype.kind not in "fc" or np.isfinite(value).all():
        return None
    many = int(np.count_nonzero(~np.isfinite(value)))
    what = "NaN" if np.isnan(value).any() else "infinity"
    return (
        f"non-finite elements not allowed, and {many} of {value.size} are not finite ({what}); "
        "DebugMode(check_isfinite=False) allows them"
    )


def are_equal(v: Variable, first: Any, second: Any) -> bool:
    """Whether two values of one variable are equal, up to rounding."""
    if is_undefined(v):
        return True
    own = getattr(v._tag, "values_eq_approx", None)
    return bool((own or v.type.values_eq_approx)(first, second))


def stands_for(old: Variable, new: Variable, old_value: Any, new_value: Any) -> bool:
    """Whether a new value may replace an old one.

    Any value may replace one that is not finite: rewrites replace formulas that overflow by
    formulas that do not.
    """
    if is_undefined(old) or is_undefined(new):
        return True
    own = getattr(new._tag, "values_eq_approx", None) or getattr(old._tag, "values_eq_approx", None)
    if own is not None:
        return bool(own(old_value, new_value))
    if isinstance(old.type, TensorType) and isinstance(old_value, np.ndarray):
        return values_eq_approx(old_value, new_value, True, True)
    return bool(old.type.values_eq_approx(old_value, new_value))
