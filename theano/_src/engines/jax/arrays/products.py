"""Products for jax.numpy, with the precision of NumPy's (docs/internals/engine-faults.md)."""

from __future__ import annotations

from typing import Any

from theano._src.engines.jax.arrays.materialized import materialized
from theano._src.engines.jax.devices import target
from theano._src.engines.jax.faults import products_lose_digits


def _is_lossy(x: Any) -> bool:
    """Whether XLA computes a full contraction of arrays like ``x`` with few digits."""
    return x.dtype.name in ("float32", "complex64") and target() == "cpu" and products_lose_digits()


def jax_dot(x: Any, y: Any) -> Any:
    """The product over the last dimension of ``x`` and the last but one of ``y``."""
    import jax.numpy

    return (x * y).sum() if x.ndim == y.ndim == 1 and _is_lossy(x) else jax.numpy.dot(x, y)


def jax_prod(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    """The product of elements, all of which are computed before it.

    NOTE: XLA's CPU compiler lets LLVM regroup a product together with its factors: it computes
    ``(a * c) * (b * c)`` as ``a * b * c**2``, which may be out of range (ADR 22).
    """
    import jax.numpy

    if jax.numpy.issubdtype(jax.numpy.result_type(x), jax.numpy.inexact):
        x = materialized(x)
    return jax.numpy.prod(x, axis=axis, dtype=dtype)


def jax_tensordot(a: Any, b: Any, axes: Any) -> Any:
    import jax.numpy

    left, right = axes
    if not (len(left) == a.ndim == b.ndim and _is_lossy(a)):
        return jax.numpy.tensordot(a, b, axes)
    return (a * jax.numpy.transpose(b, [right[left.index(d)] for d in range(a.ndim)])).sum()


def jax_einsum(text: str, *operands: Any) -> Any:
    import jax.numpy

    terms, out = text.split("->")
    if terms.count(",") == 1 and _is_lossy(operands[0]):
        x, y = terms.split(",")
        summed = tuple(i for i, label in enumerate(x) if label not in out)
        if summed and set(x) == set(y) and len(x) == len(y) == len(set(x)):
            turned = jax.numpy.transpose(operands[1], [y.index(label) for label in x])
            result = (operands[0] * turned).sum(axis=summed)
            left = [label for label in x if label in out]
            return jax.numpy.transpose(result, [left.index(label) for label in out])
    return jax.numpy.einsum(text, *operands)
