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
    """What processes ask each other through: keys with values, and barriers with a time-out.

    NOTE: public ways to compare what processes have are collectives, which wait for ever.
    """
    from jax._src import distributed

    return distributed.global_state.client


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
