"""Products for jax.numpy, with the precision of NumPy's (docs/internals/engine-faults.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.engines.jax.arrays.materialized import materialized
from theano._src.engines.jax.devices import target
from theano._src.engines.jax.faults import products_lose_digits


def _is_lossy(x: Any) -> bool:
    """Whether XLA computes a full contraction of arrays like ``x`` with few digits."""
    return x.dtype.name in ("float32", "complex64") and target() == "cpu" and products_lose_digits()


def jax_dot(x: Any, y: Any) -> Any:
    """The product over the last dimension of ``x`` and the last but one of ``y``."""
    import jax.numpy

    if _lacks_products(x, y) and x.ndim and y.ndim:
        row, rest = _LETTERS[: x.ndim - 1], _LETTERS[x.ndim : x.ndim + y.ndim - 1]
        column = rest[:-1] + "z" + rest[-1:]
        return _summed(f"{row}z", column, row + rest, x, y)
    return (x * y).sum() if x.ndim == y.ndim == 1 and _is_lossy(x) else jax.numpy.dot(x, y)


def jax_matmul(x: Any, y: Any) -> Any:
    import jax.numpy

    if _lacks_products(x, y) and min(x.ndim, y.ndim) > 1:
        return jax.numpy.sum(x[..., :, None] * y[..., None, :, :], axis=-2)
    return jax.numpy.matmul(x, y)


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
    if _lacks_products(a, b):
        first = _LETTERS[: a.ndim]
        second = list(_LETTERS[a.ndim : a.ndim + b.ndim])
        for i, j in zip(left, right, strict=True):
            second[j] = first[i]
        out = [c for c in (*first, *second) if (c in first) != (c in second)]
        return _summed(first, "".join(second), "".join(out), a, b)
    if not (len(left) == a.ndim == b.ndim and _is_lossy(a)):
        return jax.numpy.tensordot(a, b, axes)
    return (a * jax.numpy.transpose(b, [right[left.index(d)] for d in range(a.ndim)])).sum()


def jax_einsum(text: str, *operands: Any) -> Any:
    import jax.numpy

    terms, out = text.split("->")
    if terms.count(",") == 1 and _lacks_products(*operands):
        first, second = terms.split(",")
        if len(set(first)) == len(first) and len(set(second)) == len(second):
            return _summed(first, second, out, *operands)
    if terms.count(",") == 1 and _is_lossy(operands[0]):
        x, y = terms.split(",")
        summed = tuple(i for i, label in enumerate(x) if label not in out)
        if summed and set(x) == set(y) and len(x) == len(y) == len(set(x)):
            turned = jax.numpy.transpose(operands[1], [y.index(label) for label in x])
            result = (operands[0] * turned).sum(axis=summed)
            left = [label for label in x if label in out]
            return jax.numpy.transpose(result, [left.index(label) for label in out])
    return jax.numpy.einsum(text, *operands)


_LETTERS = "abcdefghijklmnopqrstuvwxy"


def _lacks_products(x: Any, y: Any) -> bool:
    """Whether the platform has no products of such arrays: TPUs have none of 64-bit integers."""
    return target() == "tpu" and np.result_type(x.dtype, y.dtype).name in ("int64", "uint64")


def _summed(first: str, second: str, out: str, x: Any, y: Any) -> Any:
    """A product as the sum of a product of elements, which XLA fuses."""
    import jax.numpy

    every = out + "".join(c for c in dict.fromkeys(first + second) if c not in out)

    def spread(terms: str, a: Any) -> Any:
        a = jax.numpy.transpose(a, [terms.index(c) for c in every if c in terms])
        return jax.numpy.expand_dims(a, [i for i, c in enumerate(every) if c not in terms])

    gone = tuple(range(len(out), len(every)))
    both = spread(first, x) * spread(second, y)
    return jax.numpy.sum(both, axis=gone, dtype=both.dtype)
