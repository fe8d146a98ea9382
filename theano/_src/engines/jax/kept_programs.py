"""Compiled programs that are kept on disk: serialized executables in our own cache.

jax's cache is not used and its settings are not touched: they apply to the whole process and belong
to the user (ADR 24).
"""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import Callable, Sequence
from functools import cache, partial
from time import perf_counter
from typing import Any

from theano._src.engines.disk_cache import Entries, kept_entries
from theano._src.engines.jax.constant_work import is_large
from theano._src.engines.jax.faults import compiler_options
from theano._src.engines.jax.private_jax import call_facts, fast_call
from theano._src.engines.jax.settings import for_programs

log = logging.getLogger("theano.xla")

#: seconds; a program that compiles faster is not worth a file
_WORTH_KEEPING = 0.05
#: jax settings and environment variables that change how XLA compiles a program
_SETTINGS = (
    "jax_disable_most_optimizations",
    "jax_exec_time_optimization_effort",
    "jax_memory_fitting_effort",
    "jax_optimization_level",
    "jax_memory_fitting_level",
    "jax_compiler_enable_remat_pass",
    "jax_use_shardy_partitioner",
    "jax_cpu_collectives_implementation",
)
_VARIABLES = ("XLA_FLAGS", "LIBTPU_INIT_ARGS")


#: options for programs that would compute large arrays at compile time
NOT_AHEAD = {"xla_disable_hlo_passes": "constant_folding"}


class KeptProgram:
    """A jitted function, compiled for the arguments of its first call or read from disk.

    Calls are made in a context of ``for_runs``, with the same shapes and dtypes. After the first
    call ``compiled`` is jax's Compiled, and ``run`` is the fastest function that calls it.
    """

    __slots__ = ("_lock", "compiled", "jitted", "run")

    def __init__(self, jitted: Any) -> None:
        self.jitted = jitted
        self._lock = threading.Lock()
        self.compiled: Any = None
        self.run: Any = None

    def __call__(self, *args: Any) -> Any:
        if self.run is not None:
            return self.run(*args)
        compiled = self.made_for(args)
        results = compiled(*args)
        call = fast_call(compiled)
        wanted = compiled.input_shardings[0]
        on_mesh = any(s is not None and len(s.device_set) > 1 for s in wanted)
        self.run = partial(_resharded, call, wanted) if on_mesh else call
        return results

    def made_for(self, args: Any) -> Any:
        """The compiled form for such arguments; created once."""
        with self._lock:
            if self.compiled is None:
                with for_programs():
                    self.compiled = compiled_or_kept(self.lowered_for(args))
            return self.compiled

    def lowered_for(self, args: Any) -> Any:
        """The lowered form for such arguments, which XLA compiles."""
        with for_programs():
            return self.jitted.lower(*args)


def _resharded(call: Callable[..., Any], wanted: Sequence[Any], *args: Any) -> Any:
    """Call a program on a mesh; reshard arguments that another program has placed differently."""
    import jax

    return call(
        *[
            x
            if s is None or not isinstance(x, jax.Array) or x.sharding.is_equivalent_to(s, x.ndim)
            else jax.device_put(x, s)
            for x, s in zip(args, wanted, strict=True)
        ]
    )


def compiled_or_kept(lowered: Any) -> Any:
    """A lowered program, read from disk or compiled; kept on disk if compiling took long."""
    entries = kept_entries() if _can_serialize() else None
    known = None if entries is None else _key(lowered)
    if entries is None or known is None:
        return _compiled(lowered)
    key, devices = known
    kept = entries.get(key)
    if kept is not None:
        try:
            return _loaded(kept, lowered, devices)
        except Exception as error:
            log.warning("cannot load %s, it is compiled again: %s", entries.file(key), error)
            entries.remove(key)
    begin = perf_counter()
    compiled = _compiled(lowered)
    if perf_counter() - begin >= _WORTH_KEEPING:
        _keep(entries, key, compiled)
    return compiled


def _compiled(lowered: Any) -> Any:
    return lowered.compile(NOT_AHEAD if is_large(lowered.as_text()) else None)


@cache
def _can_serialize() -> bool:
    try:
        from jax.experimental import serialize_executable  # noqa: F401
    except ImportError:
        log.info("this version of jax cannot serialize programs: they are not kept")
        return False
    return True


def _key(lowered: Any) -> tuple[str, list[Any]] | None:
    """The key of an entry, from everything a compiled program depends on, and its devices.

    None for a program that cannot be kept. Entries record the features of the processor themselves.
    """
    import hashlib

    import jax
    import jaxlib

    known = call_facts(lowered)
    text = lowered.as_text()
    if known is None or "callback" in text:
        return None
    facts, devices = known
    client = devices[0].client
    if jax.process_count() > 1 and client.platform != "cpu":
        return None  # on other platforms all processes compile together, or none does
    parts = [
        jax.__version__,
        jaxlib.__version__,
        client.platform_version,
        repr([(d.id, d.process_index, d.device_kind) for d in devices]),
        repr(jax.process_count()),
        repr([os.environ.get(name) for name in _VARIABLES]),
        repr([str(getattr(jax.config, name, None)) for name in _SETTINGS]),
        repr(compiler_options()),
        str(lowered.in_tree),
        str(lowered.out_tree),
        facts,
        text,
    ]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(b"%d " % len(part) + part.encode("utf-8", "surrogateescape"))
    name = re.match(r"module @(\w+)", text)
    return f"{name[1] if name else 'jit'}-{digest.hexdigest()[:32]}", devices


def _keep(entries: Entries, key: str, compiled: Any) -> None:
    import zlib

    from jax.experimental.serialize_executable import serialize

    try:
        data, _, _ = serialize(compiled)
    except Exception as error:
        log.info("%s cannot be kept: %s", key, error)
        return
    entries.put(key, zlib.compress(_without_preferences(data), 1))


def _loaded(kept: bytes, lowered: Any, devices: list[Any]) -> Any:
    import zlib

    from jax.experimental.serialize_executable import deserialize_and_load

    return deserialize_and_load(
        zlib.decompress(kept),
        lowered.in_tree,
        lowered.out_tree,
        backend=devices[0].client,
        execution_devices=devices,
    )


_FEATURES = re.compile(rb"[+-][\w.-]+(?:,[+-][\w.-]+)+")


def _without_preferences(data: bytes) -> bytes:
    """A serialized executable without processor features that make XLA log a false mismatch.

    NOTE: at each load XLA compares the recorded features with the processor's, and mistakes
    preferences of its code generator for missing features; it infers them from AVX-512 (openxla/xla
    issue 44565). The record has no other use, and entries have a record of their own.
    """

    def cleared(record: re.Match[bytes]) -> bytes:
        text = record[0]
        if b"+prefer-no-" not in text:
            return text
        return text.replace(b"+avx512", b"-avx512").replace(b"+prefer-no-", b"-prefer-no-")

    return _FEATURES.sub(cleared, data)
