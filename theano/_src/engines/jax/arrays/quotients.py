"""Division on XLA as it is written: a quotient of quotients is not rewritten (ADR 22)."""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

#: quotients that are being traced, by id: tracers are not hashable
_quotients: WeakValueDictionary[int, Any] = WeakValueDictionary()


def true_divide(a: Any, b: Any) -> Any:
    """a / b, even if a or b is a quotient."""
    import jax.numpy

    return _as_quotient(jax.numpy.true_divide(_not_divided(a), _not_divided(b)))


def reciprocal(x: Any) -> Any:
    """1 / x, even if x is a quotient."""
    import jax.numpy

    return _as_quotient(jax.numpy.reciprocal(_not_divided(x)))


def _as_quotient(x: Any) -> Any:
    _quotients[id(x)] = x
    return x


def _not_divided(x: Any) -> Any:
    """``x``, hidden from XLA if it is a quotient.

    XLA would compute ``a / (b / c)`` as ``(a * c) / b``, and ``(a / b) / c`` as ``a / (b * c)``:
    products that may be out of range although no quotient is.
    """
    if _quotients.get(id(x)) is not x:
        return x
    import jax

    return jax.lax.optimization_barrier(x)
