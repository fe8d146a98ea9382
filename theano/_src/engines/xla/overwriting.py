"""Whether a run of a program may overwrite state: only if nothing can fail any more (ADR 23)."""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from typing import Any

import numpy as np

from theano._src.engines.jax import backend
from theano._src.engines.jax.arrays.jax_xp import known_kernels
from theano._src.engines.jax.kept_programs import KeptProgram
from theano._src.engines.jax.settings import for_programs
from theano._src.types.shared import on_host

#: from this many bytes, a run is checked for free memory; the bytes that must remain free
LARGE, _MORE = 1 << 22, 1 << 24


def need_of(program: KeptProgram, args: Any) -> int | None:
    """Bytes that XLA allocates for a run of a compiled program; None if the run may raise."""
    with for_programs():  # the settings of the first tracing: jax has cached that
        jaxpr = program.jitted.trace(*args).jaxpr
    if _calls_out(jaxpr):
        return None
    held = backend.memory_of(program.compiled)
    if not held:
        return None
    return held["temporaries"] + held["results"] - held["reused"]


def _calls_out(jaxpr: Any) -> bool:
    """Whether a program runs code outside XLA and this package: callbacks, foreign functions."""
    stack, seen = [jaxpr], set()
    while stack:
        body = stack.pop()
        body = getattr(body, "jaxpr", body)  # unwrap a ClosedJaxpr
        if id(body) in seen:
            continue
        seen.add(id(body))
        if body.effects:
            return True
        for step in body.eqns:
            name = step.primitive.name
            if "callback" in name:
                return True
            # our kernels report failures by flags
            if name == "ffi_call" and step.params.get("target_name") not in known_kernels:
                return True
            for value in step.params.values():
                parts = value if isinstance(value, tuple | list) else (value,)
                stack += [p for p in parts if hasattr(p, "eqns") or hasattr(p, "jaxpr")]
    return False


def has_room(need: int) -> bool:
    """Whether a run of a program will find the memory that it needs."""
    if need < LARGE or not backend.on_cpu():
        return True
    try:
        mmap.mmap(-1, need + _MORE).close()  # does not touch a page
    except (OSError, OverflowError, ValueError):
        return False
    return True


def spared(*values: Any) -> tuple[list[Any], list[Any]]:
    """Return arguments for state that must not be overwritten, and views that protect it.

    NOTE: XLA's CPU client writes to a copy if NumPy holds a view of an array.
    """
    import jax

    given, views = [], []
    for value in values:
        seen = [np.asarray(shard.data) for shard in value.addressable_shards]
        if value.size and address_of(value) != tuple(
            [v.__array_interface__["data"][0] for v in seen]
        ):
            value = jax.numpy.array(value, copy=True)
        given.append(value)
        views += seen
    return given, views


def address_of(value: Any) -> tuple[int, ...]:
    """The addresses of the parts of a jax array that this process holds."""
    return tuple([int(part.data.unsafe_buffer_pointer()) for part in value.addressable_shards])


def is_out_of_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and "RESOURCE_EXHAUSTED" in str(error)
    )


def is_twice_given(error: BaseException) -> bool:
    """Whether XLA has refused to overwrite a buffer that was passed in two places."""
    text = str(error)
    return isinstance(error, RuntimeError | ValueError) and (
        "Attempt to donate" in text or "previously donated" in text
    )


def part(cells: Iterable[list[Any]]) -> bool:
    """Give each cell memory of its own; return False if they already have it."""
    held = {id(cell): cell for cell in cells if hasattr(cell[0], "addressable_shards")}
    if len({address_of(cell[0]) for cell in held.values()}) == len(held):
        return False
    for cell in held.values():
        cell[0] = on_host(cell[0])
    return True


def old_value(result: Any) -> np.ndarray[Any, Any] | None:
    """The previous content of a result's memory, for a program that had too little to start.

    NOTE: XLA allocates everything that a run needs before its first kernel; by then, results that
    replace arguments are in the arguments' memory.
    """
    try:
        address = int(result.unsafe_buffer_pointer())
    except Exception:
        return None
    return np.array(backend.memory_at(result, address))
