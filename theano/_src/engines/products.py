"""Products in jax.numpy's form, with the digits of NumPy's (docs/internals/engine-faults.md)."""

from __future__ import annotations

from typing import Any

from theano._src.engines.devices import platform

#: dtypes in which sums of others are taken, as Sum takes them
_WIDER = {"float16": "float32", "float32": "float64", "complex64": "complex128"}


def _sum_of_products(x: Any, y: Any, axes: tuple[int, ...]) -> Any:
    """The sum of ``x * y`` over ``axes``, in more digits.

    NOTE: XLA takes the product of two vectors number by number in jaxlib 0.10.1: of 5 million
    float32 some two or three digits are right. Products of matrices are sums of blocks.
    """
    dtype = x.dtype.name
    if dtype not in _WIDER or platform() != "cpu":
        return (x * y).sum(axis=axes, dtype=x.dtype)
    wide = _WIDER[dtype]
    return (x.astype(wide) * y.astype(wide)).sum(axis=axes).astype(dtype)


def jax_dot(x: Any, y: Any) -> Any:
    """The product over the last dimension of ``x`` and the last but one of ``y``."""
    import jax.numpy

    return _sum_of_products(x, y, (0,)) if x.ndim == y.ndim == 1 else jax.numpy.dot(x, y)


def jax_tensordot(a: Any, b: Any, axes: Any) -> Any:
    """The product over pairs of dimensions."""
    import jax.numpy

    left, right = axes
    if not len(left) == a.ndim == b.ndim:
        return jax.numpy.tensordot(a, b, axes)
    turned = jax.numpy.transpose(b, [right[left.index(d)] for d in range(a.ndim)])
    return _sum_of_products(a, turned, tuple(range(a.ndim)))


def jax_einsum(text: str, *operands: Any) -> Any:
    """The sum of products by labels."""
    import jax.numpy

    terms, out = text.split("->")
    if terms.count(",") == 1:
        x, y = terms.split(",")
        summed = tuple(i for i, label in enumerate(x) if label not in out)
        if summed and set(x) == set(y) and len(x) == len(y) == len(set(x)):
            turned = jax.numpy.transpose(operands[1], [y.index(label) for label in x])
            made = _sum_of_products(operands[0], turned, summed)
            left = [label for label in x if label in out]
            return jax.numpy.transpose(made, [left.index(label) for label in out])
    return jax.numpy.einsum(text, *operands)
