"""The private names of jax that are used, all of them: versions may move them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from theano._src.engines.disk_cache import Entries


def use_entries(entries: Entries) -> bool:
    """Have jax ask ``entries`` for programs: its own cache writes in place, and checks little.

    NOTE: these are private names of jax. A version without them uses its own cache.
    """
    try:
        from jax._src import compilation_cache as place
        from jax._src.compilation_cache_interface import CacheInterface
    except ImportError:
        return False
    methods = set(getattr(CacheInterface, "__abstractmethods__", ()))
    names = ("_cache", "_cache_initialized", "_cache_initialized_mutex")
    if methods != {"get", "put"} or not all(hasattr(place, name) for name in names):
        return False
    with place._cache_initialized_mutex:
        place._cache, place._cache_initialized = entries, True
    return True


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
