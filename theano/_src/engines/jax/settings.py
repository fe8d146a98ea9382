"""Settings of jax while our programs are traced, compiled and run (ADR 24).

The user's settings in ``jax.config`` are for the user's own code: they do not change the results of
our programs. We use only jax's context managers, which affect one thread and one block.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import cache
from typing import Any

from theano._src.engines.jax.device import chosen_device
from theano._src.engines.jax.devices import target
from theano._src.ground.config import config


def for_tracing() -> AbstractContextManager[Any]:
    """The arithmetic settings of our ops: for graphs that become part of the user's programs."""
    import jax

    stack = ExitStack()
    stack.enter_context(jax.enable_x64(True))
    stack.enter_context(jax.numpy_dtype_promotion("standard"))
    stack.enter_context(jax.numpy_rank_promotion("allow"))
    return stack


def for_programs() -> AbstractContextManager[Any]:
    """All settings that our programs could depend on."""
    import jax

    stack = ExitStack()
    stack.enter_context(for_tracing())
    stack.enter_context(jax.default_matmul_precision(_precision()))
    stack.enter_context(jax.disable_jit(False))
    # NaN is a value; a call that raises for one would already have overwritten its state
    stack.enter_context(jax.debug_nans(False))
    stack.enter_context(jax.debug_infs(False))
    stack.enter_context(jax.transfer_guard("allow"))
    if chosen_device() is not None:
        stack.enter_context(jax.default_device(chosen_device()))
    return stack


#: jax's names for the values of xla.precision
_PRECISIONS = {"float32": "highest", "high": "high", "fast": None}


def _precision() -> str | None:
    """The precision of float32 products; a CPU has one alone (ADR 36)."""
    return None if target() == "cpu" else _PRECISIONS[config.xla.precision]


@cache
def for_runs() -> Callable[[], AbstractContextManager[Any]]:
    """A function that returns a cheap new context for one run of a compiled program."""
    import jax

    wide, config = jax.enable_x64, jax.config
    nans, infs, guard = jax.debug_nans, jax.debug_infs, jax.transfer_guard_host_to_device

    def context() -> AbstractContextManager[Any]:
        if nans.value or infs.value or guard.value is not None or config.jax_disable_jit:
            return for_programs()
        function: AbstractContextManager[Any] = wide(True)
        return function

    return context
