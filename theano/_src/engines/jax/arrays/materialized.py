"""Values that XLA computes in whole before it goes on with them."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any


def materialized(value: Any) -> Any:
    """``value``, computed in whole before any of it is written to where it was read from.

    NOTE: XLA's CPU compiler computes a block while it writes it over an array, also if the block is
    read from other places of that array (docs/internals/engine-faults.md). It does so where it
    cannot see that both are one buffer, and we cannot see what it will find equal: every value that
    is written into an array is kept apart, which takes one pass over it.
    """
    import jax

    if not isinstance(value, jax.Array):
        return value
    with _not_inlined():
        return _barrier()(value)


@cache
def _barrier() -> Any:
    import jax

    return jax.jit(jax.lax.optimization_barrier)


def _not_inlined() -> AbstractContextManager[Any]:
    """Functions called in here stay functions in the compiled program: nothing is fused with them.

    Before 0.11.1 XLA drops barriers ahead of its fusion on CPUs, and keeps such calls.
    """
    import jax

    if jax.default_backend() != "cpu":
        return nullcontext()
    try:
        from jax.experimental.xla_metadata import set_xla_metadata
    except ImportError:
        return nullcontext()
    context: AbstractContextManager[Any] = set_xla_metadata(inlineable="false")
    return context
