"""Sums of the rows of a matrix, and single elements of them, as suits the platform."""

from __future__ import annotations

from typing import Any

from theano._src.engines.jax.devices import target
from theano._src.ground.length_numbers import are_numbers


def sum_rows(x: Any, dtype: str) -> Any:
    """The sum over the rows of a wide matrix, in ``dtype``."""
    import jax

    rows, width = x.shape
    if not are_numbers(rows, width) or target() != "cpu" or rows < 2 or width < 4 * rows:
        return jax.numpy.sum(x, axis=0, dtype=dtype)
    # NOTE: for a wide matrix, XLA's own sum takes 3 to 20 times as long on a CPU: it adds up one
    # column after another

    def add(total: Any, row: Any) -> Any:
        return total + row.astype(dtype), None

    return jax.lax.scan(add, jax.numpy.zeros(x.shape[1:], dtype), x)[0]


def one_of_each_row(x: Any, columns: Any) -> Any:
    """The element of each row in its column.

    Accelerators sum a row of which one element is not zero. That fuses with what computes ``x``,
    where a gather takes a pass of its own (v5e: 0.97 of the cycles of a perceptron's step).
    """
    import jax.numpy as jnp

    if target() == "cpu":
        return jnp.take_along_axis(x, columns[:, None], axis=1)[:, 0]
    chosen = jnp.arange(x.shape[1], dtype=columns.dtype) == columns[:, None]
    return jnp.sum(jnp.where(chosen, x, jnp.zeros((), x.dtype)), axis=1)
