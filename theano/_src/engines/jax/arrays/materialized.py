"""Values that XLA computes completely before it uses them."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from theano._src.engines.jax.devices import target


def materialized(value: Any) -> Any:
    """``value``, computed completely before any of it is written to where it was read from.

    NOTE: XLA's CPU compiler computes a block while writing it over an array, even if the block is
    read from other parts of that array (docs/internals/engine-faults.md). It does so if it cannot
    see that both are one buffer, and we cannot predict which values it will merge: every value that
    is written into an array is computed first, which takes one pass over it.
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
    """A context in which called functions stay functions in the program: nothing fuses with them.

    Before 0.11.1 XLA drops barriers before its fusion on CPUs, but keeps such calls.
    """
    if target() != "cpu":
        return nullcontext()
    try:
        from jax.experimental.xla_metadata import set_xla_metadata
    except ImportError:
        return nullcontext()
    context: AbstractContextManager[Any] = set_xla_metadata(inlineable="false")
    return context
