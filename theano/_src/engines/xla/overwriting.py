"""Whether a run of a program may overwrite state: where nothing is left that can fail (ADR 23)."""

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

#: runs that need this many bytes or more are checked for free memory; how much must remain free
LARGE, _MORE = 1 << 22, 1 << 24


def need_of(program: KeptProgram, args: Any) -> int | None:
    """Bytes that XLA allocates for a run of a compiled program; None if the run may raise."""
    with for_programs():  # as it was traced before: jax has kept that
        jaxpr = program.jitted.trace(*args).jaxpr
    if _calls_out(jaxpr):
        return None
    held = backend.memory_of(program.compiled)
    if not held:
        return None
    return held["temporaries"] + held["results"] - held["reused"]


def _calls_out(jaxpr: Any) -> bool:
    """Whether a program runs code that is not XLA's nor ours: callbacks, foreign functions."""
    stack, seen = [jaxpr], set()
    while stack:
        body = stack.pop()
        body = getattr(body, "jaxpr", body)  # of one with its constants
        if id(body) in seen:
            continue
        seen.add(id(body))
        if body.effects:
            return True
        for step in body.eqns:
            name = step.primitive.name
            if "callback" in name:
                return True
            # kernels of ours fail by flags
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
        mmap.mmap(-1, need + _MORE).close()  # touches no page
    except (OSError, OverflowError, ValueError):
        return False
    return True


def spared(*values: Any) -> tuple[list[Any], list[Any]]:
    """What a program gets for state that it would overwrite, and what keeps the state meanwhile.

    NOTE: XLA's CPU client writes into a copy where NumPy looks at an array too.
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
    """Where the parts of an array of jax are that this process has."""
    return tuple([int(part.data.unsafe_buffer_pointer()) for part in value.addressable_shards])


def is_out_of_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and "RESOURCE_EXHAUSTED" in str(error)
    )


def is_twice_given(error: BaseException) -> bool:
    """Whether XLA has refused to overwrite a buffer that is given to it in two places."""
    text = str(error)
    return isinstance(error, RuntimeError | ValueError) and (
        "Attempt to donate" in text or "previously donated" in text
    )


def part(cells: Iterable[list[Any]]) -> bool:
    """Give each cell memory of its own; False if they have it already."""
    held = {id(cell): cell for cell in cells if hasattr(cell[0], "addressable_shards")}
    if len({address_of(cell[0]) for cell in held.values()}) == len(held):
        return False
    for cell in held.values():
        cell[0] = on_host(cell[0])
    return True


def old_value(result: Any) -> np.ndarray[Any, Any] | None:
    """What was in the memory of a result whose program found too little memory to begin.

    NOTE: XLA allocates all that a run needs before its first kernel; the results that replace
    arguments are in the arguments' memory by then.
    """
    try:
        address = int(result.unsafe_buffer_pointer())
    except Exception:
        return None
    return np.array(backend.memory_at(result, address))
