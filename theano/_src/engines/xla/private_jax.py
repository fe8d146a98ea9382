"""The private names of jax that are used, all of them: versions may move them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: what is read of a program that was lowered
_READ = (
    "kept_var_idx",
    "committed",
    "global_in_avals",
    "global_out_avals",
    "in_shardings",
    "out_shardings",
    "in_layouts",
    "out_layouts",
    "all_args_info",
)
#: what a program must not have to be kept: it would refer to objects of this process
_OBJECTS = ("ordered_effects", "unordered_effects", "host_callbacks", "keepalive", "mut")


def call_facts(lowered: Any) -> tuple[str, list[Any]] | None:
    """How a lowered program is called, which its text does not say, and the devices it is for.

    None where this version of jax does not tell, or where the program refers to objects of this
    process: such a program cannot be kept.

    NOTE: two programs with the same text may read different ones of their arguments.
    """
    lowering = getattr(lowered, "_lowering", None)
    found = getattr(lowering, "compile_args", None)
    devices = getattr(lowering, "_device_list", None)
    if not isinstance(found, dict) or not {*_READ, *_OBJECTS} <= set(found) or devices is None:
        return None
    if any(found[name] for name in _OBJECTS) or getattr(lowering, "const_args", True):
        return None
    facts = {name: found[name] for name in _READ}
    facts["kept_var_idx"] = sorted(facts["kept_var_idx"])
    facts["all_args_info"] = getattr(facts["all_args_info"], "in_avals", None)
    return repr([(name, str(value)) for name, value in facts.items()]), list(devices)


def fast_call(compiled: Any) -> Callable[..., Any]:
    """What calls a compiled program that has run once: without a call of Python, if it is there."""
    call: Callable[..., Any] = getattr(compiled, "_call", None) or compiled
    return call


def coordination_client() -> Any:
    """What processes ask each other through: keys with values, and barriers with a time-out.

    NOTE: public ways to compare what processes have are collectives, which wait for ever.
    """
    from jax._src import distributed

    return distributed.global_state.client
