"""All private names of jax that are used: its versions may move them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

#: the facts that are read from a lowered program
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
#: a program with one of these cannot be kept: it refers to objects of this process
_OBJECTS = ("ordered_effects", "unordered_effects", "host_callbacks", "keepalive", "mut")


def call_facts(lowered: Any) -> tuple[str, list[Any]] | None:
    """Facts about calling a lowered program that its text does not have, and its devices.

    None if this version of jax does not have them, or if the program refers to objects of this
    process: such a program cannot be kept.

    NOTE: two programs with the same text may read different arguments.
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
    """The fastest call of a compiled program that has run once: its C++ call, if it exists."""
    call: Callable[..., Any] = getattr(compiled, "_call", None) or compiled
    return call


def coordination_client() -> Any:
    """The key-value store through which processes communicate.

    NOTE: the public functions that compare values of processes are collectives, which may wait
    forever.
    """
    from jax._src import distributed

    return distributed.global_state.client


def coordinator_address() -> str:
    """Host and port of the coordinator, however they were set."""
    from jax._src import distributed

    return str(distributed.global_state.coordinator_address)


def bind_gloo(address: str) -> bool:
    """Make the CPU collectives listen at ``address``, not at the address of the host name.

    NOTE: returns False for a version of jax without these names, which looks up the host name.
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
    """Let this process end without jax's shutdown barrier, which cannot be passed any more.

    NOTE: objects with the barrier in their destructor are kept alive forever.
    """
    import ctypes

    from jax._src import distributed

    state = distributed.global_state
    for name in ("preemption_sync_manager", "client", "service"):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(getattr(state, name, None)))
        setattr(state, name, None)


def released(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` for jax to trace; if it raises, jax releases what it has traced.

    NOTE: jax ends a trace that succeeds. One that fails with a constant in it stays forever: a
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
    # the trace for evaluation (no tracing) has no frame
    if end is not None and hasattr(trace_ctx.trace, "frame"):
        end()
