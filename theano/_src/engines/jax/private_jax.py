"""The private names of jax that are used, all of them: versions may move them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
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
    result = getattr(lowering, "compile_args", None)
    devices = getattr(lowering, "_device_list", None)
    if not isinstance(result, dict) or not {*_READ, *_OBJECTS} <= set(result) or devices is None:
        return None
    if any(result[name] for name in _OBJECTS) or getattr(lowering, "const_args", True):
        return None
    facts = {name: result[name] for name in _READ}
    facts["kept_var_idx"] = sorted(facts["kept_var_idx"])
    facts["all_args_info"] = getattr(facts["all_args_info"], "in_avals", None)
    return repr([(name, str(value)) for name, value in facts.items()]), list(devices)


def fast_call(compiled: Any) -> Callable[..., Any]:
    """What calls a compiled program that has run once: without a call of Python, if it is there."""
    call: Callable[..., Any] = getattr(compiled, "_call", None) or compiled
    return call


def coordination_client() -> Any:
    """What processes ask each other through: keys with values.

    NOTE: public ways to compare what processes have are collectives, which wait for ever.
    """
    from jax._src import distributed

    return distributed.global_state.client


def coordinator_address() -> str:
    """Host and port of the coordinator, whoever has named them."""
    from jax._src import distributed

    return str(distributed.global_state.coordinator_address)


def bind_gloo(address: str) -> bool:
    """Have the collectives of CPUs listen at ``address``, not where the machine's name leads.

    NOTE: False for a version of jax without these names, which looks the machine's name up.
    """
    try:
        from jax._src import config, distributed, xla_bridge
        from jax._src.lib import _jax
        from jax.extend.backend import register_backend_factory

        if config.cpu_collectives_implementation.value != "gloo":
            return False
        make_collectives, make_client = _jax.make_gloo_tcp_collectives, xla_bridge.make_cpu_client
    except (ImportError, AttributeError):
        return False

    def make() -> Any:
        client = distributed.global_state.client
        return make_client(make_collectives(distributed_client=client, hostname=address))

    register_backend_factory("cpu", make, priority=0, fail_quietly=False)
    return True


def abandon_coordinator() -> None:
    """Let this process end without jax's barrier of all, which cannot be passed any more.

    NOTE: what has the barrier in its destructor is kept for ever.
    """
    import ctypes

    from jax._src import distributed

    state = distributed.global_state
    for name in ("preemption_sync_manager", "client", "service"):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(getattr(state, name, None)))
        setattr(state, name, None)


def released(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` for jax to trace; if it raises, jax lets go of what it has traced.

    NOTE: jax ends a trace that succeeds. One that fails with a constant in it stays for ever: a
    finalizer holds the trace, which holds the constant that the finalizer waits for.
    """

    @wraps(function, updated=())
    def traced(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except BaseException:
            _end_trace()
            raise

    return traced


def _end_trace() -> None:
    try:
        from jax._src.core import trace_ctx
    except ImportError:
        return
    end = getattr(trace_ctx.trace, "invalidate", None)
    # the trace of values, which is none, has no frame
    if end is not None and hasattr(trace_ctx.trace, "frame"):
        end()
