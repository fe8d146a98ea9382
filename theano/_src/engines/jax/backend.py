"""A thin layer over jax: names that may move between its versions are used here."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import contextlib
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import numpy as np

from theano._src.engines.blas_threads import allowed_threads
from theano._src.engines.jax.arrays.jax_xp import jit, x64
from theano._src.engines.jax.device import chosen_device
from theano._src.engines.jax.devices import platform
from theano._src.engines.jax.kept_programs import KeptProgram, compiled_or_kept
from theano._src.engines.jax.settings import for_programs, for_runs
from theano._src.engines.measured_rates import measured_rates
from theano._src.ground.packages import not_loaded
from theano._src.ground.processors import visible

__all__ = [
    "child",
    "compiled",
    "goes_in",
    "cond",
    "hold_interrupts",
    "is_x64",
    "like",
    "load",
    "memory_at",
    "memory_of",
    "missing",
    "operations_of",
    "owned",
    "put",
    "ready",
    "set_x64",
    "taken",
    "texts_of",
    "traced_only",
    "wait",
    "writeable",
    "x64",
]


def compiled(
    function: Callable[..., Any], donate: Sequence[int], where: Sequence[Any] | None = None
) -> KeptProgram:
    """Return ``function`` as a program that may overwrite the arguments in ``donate``.

    ``where`` has the sharding of each result if the function runs on a mesh.
    """
    placed = {} if where is None else {"out_shardings": list(where)}
    return KeptProgram(jit(function, donate_argnums=tuple(donate), **placed))


_PLACES = re.compile(
    r"^(?:FileNames|FunctionNames|FileLocations|StackFrames)\n(?:\d+ .*\n)*\n*", re.M
)
_METADATA = re.compile(r', metadata=\{(?:[^{}"]|"[^"]*")*\}')


def texts_of(program: KeptProgram, *args: Any) -> tuple[str, str]:
    """The StableHLO passed to XLA for such arguments, and the HLO that it compiles to."""
    lowered = program.lowered_for(args)
    compiled = compiled_or_kept(lowered).as_text()
    # remove where jax traced each instruction: lines of this package and of jax
    for noise in (_PLACES, _METADATA):
        compiled = noise.sub("", compiled)
    return lowered.as_text(), compiled


def like(shape: Sequence[int], dtype: Any, sharding: Any = None) -> Any:
    """An abstract array for tracing."""
    import jax

    return jax.ShapeDtypeStruct(tuple(shape), dtype, sharding=sharding)


def memory_of(compiled: Any) -> dict[str, int]:
    """The bytes that a compiled program needs, by purpose; empty if XLA does not report them."""
    result = compiled.memory_analysis()
    names = {
        "arguments": "argument_size_in_bytes",
        "results": "output_size_in_bytes",
        "reused": "alias_size_in_bytes",
        "temporaries": "temp_size_in_bytes",
        "peak": "peak_memory_in_bytes",
    }
    return {
        name: int(getattr(result, there)) for name, there in names.items() if hasattr(result, there)
    }


def operations_of(compiled: Any) -> float | None:
    """Floating-point operations of one run, as counted by XLA; None if it does not count them."""
    result = compiled.cost_analysis() or {}
    count = (result[0] if isinstance(result, list) else result).get("flops")
    return None if count is None else float(count)


def wait(values: Any) -> None:
    import jax

    jax.block_until_ready(values)


def is_x64() -> bool:
    """Whether 64-bit types are enabled in the current jax context."""
    import jax

    return bool(jax.config.jax_enable_x64)


def set_x64(wide: bool) -> None:
    """Restore the x64 setting after an interrupt has kept a context from doing so."""
    import jax

    if jax.config.jax_enable_x64 != wide:
        jax.enable_x64(wide).__enter__()


def load() -> None:
    """Load jax; interrupts are held, as one in the middle would leave it half loaded."""
    held = hold_interrupts()
    try:
        start = None if "jax" in sys.modules else perf_counter()
        with _few_threads():
            import jax

            jax.devices()
        if start is not None:
            measured_rates.loaded(perf_counter() - start)
    finally:
        if held is not None:
            held.release()


@contextlib.contextmanager
def _few_threads() -> Iterator[None]:
    """Limit XLA to the processors that this process may use, or to the configured threads.

    NOTE: XLA counts the visible processors and ignores quotas; it reads this variable when its
    client is created.
    """
    name = "PJRT_NPROC"
    most = allowed_threads()
    if name in os.environ or most >= visible():
        yield
        return
    os.environ[name] = str(most)
    try:
        yield
    finally:
        del os.environ[name]


@cache
def missing(to_load: bool = True) -> str | None:
    """Why jax cannot be loaded, or None; with ``to_load`` it is loaded, else only searched for."""
    try:
        if to_load:
            load()
        elif find_spec("jax") is None:
            raise ModuleNotFoundError("No module named 'jax'")
    except ImportError as error:
        return not_loaded("jax", error)
    return None


def needs_jax(who: str) -> None:
    """Raise ImportError if jax cannot be loaded; ``who`` needs it."""
    if why := missing():
        raise ImportError(f"{who} takes jax: {why}")


#: held while a program runs on a mesh: two programs on the same devices may deadlock
one_at_a_time = threading.RLock()


def put(value: Any) -> Any:
    """``value`` on the device, in memory of its own; nothing is compiled for this.

    NOTE: ``device_put`` may keep the memory of its argument even if asked not to, so it gets a
    copy; ``jax.numpy.array`` would copy with a program that is compiled for each shape.
    """
    import jax

    with for_programs() if chosen_device() is not None else for_runs()():
        return jax.device_put(np.array(value, order="C"))


def cond(ok: Any, new: Callable[[], Any], old: Callable[[], Any]) -> Any:
    import jax

    return jax.lax.cond(ok, new, old)


def traced_only() -> tuple[type[Exception], ...]:
    """The errors that jax raises when Python needs the value of a tracer."""
    import jax

    errors = jax.errors
    return (
        errors.ConcretizationTypeError,
        errors.TracerArrayConversionError,
        errors.TracerBoolConversionError,
        errors.TracerIntegerConversionError,
    )


_SIGINT = int(signal.SIGINT)


class Held:
    """Holds Ctrl-C back, from the start of a compiled program to the end of the call."""

    __slots__ = ("before", "came")

    def __init__(self) -> None:
        self.came: tuple[Any, Any] | None = None
        # NOTE: signal.signal converts its arguments and result to enumerations, which is slow
        self.before = _signal.signal(_SIGINT, self._note)

    def _note(self, number: Any, frame: Any) -> None:
        self.came = (number, frame)

    def release(self) -> None:
        """Restore the handler; an interrupt that came meanwhile takes effect now."""
        _signal.signal(_SIGINT, self.before)
        if self.came is None:
            return
        if self.before == signal.SIG_DFL:
            signal.raise_signal(signal.SIGINT)
        elif callable(self.before):
            self.before(*self.came)


def hold_interrupts() -> Held | None:
    """Hold Ctrl-C back, if this is the thread that receives it."""
    if threading.current_thread() is not threading.main_thread():
        return None
    if _signal.getsignal(_SIGINT) is None:
        return None  # the handler is not Python's and could not be restored
    return Held()


class _Child:
    """Whether this process was forked; XLA's threads do not exist in a child."""

    def __init__(self) -> None:
        self.forked = False
        self.warned = False
        os.register_at_fork(after_in_child=self._mark)

    def _mark(self) -> None:
        self.forked = True

    def warn_once(self) -> None:
        if not self.warned:
            self.warned = True
            warnings.warn(
                "XLA does not work in a forked child: functions run on the numpy engine here; "
                "start processes with the 'spawn' method to have XLA in them",
                RuntimeWarning,
                stacklevel=4,
            )


child = _Child()


def ready(value: Any) -> None:
    """Wait until a result is computed; an overwritten one was computed before."""
    if not value.is_deleted():
        value.block_until_ready()


#: from this many elements, copying takes longer than checking whether the memory may be kept
_WORTH_KEEPING = 1 << 14


def owned(value: Any) -> Any:
    """A result as a writable NumPy array that the caller owns."""
    return np.array(value)


class _Buffer:
    """The memory of a result on the CPU for NumPy; keeps the result alive."""

    __slots__ = ("__array_interface__", "_result")

    def __init__(self, result: Any, address: int) -> None:
        self._result = result
        self.__array_interface__ = {
            "data": (address, False),
            "shape": result.shape,
            "typestr": result.dtype.str,
            "version": 3,
        }


def taken(result: Any, others: tuple[Any, ...]) -> Any:
    """A result as a writable NumPy array that the caller owns, without a copy if it is large.

    The caller gets the result's own memory if that is on the CPU and none of ``others`` (all
    arguments and results of programs in this call) shares it.

    NOTE: if a program returns an argument unchanged, jax returns the same memory.
    """
    # a value of a host node that a program reads too is not XLA's
    if isinstance(result, np.ndarray) or result.size < _WORTH_KEEPING or not on_cpu():
        return np.array(result)
    result.block_until_ready()
    address = result.unsafe_buffer_pointer()
    for other in others:
        if other is not result and _address(other) == address:
            return np.array(result)
    return memory_at(result, address)


def memory_at(result: Any, address: int) -> Any:
    """The memory of a result on the CPU as a NumPy array, which keeps the result alive."""
    return np.asarray(_Buffer(result, address))


def _address(value: Any) -> int | None:
    """The address of a program's argument or result; None if it was overwritten."""
    if isinstance(value, np.ndarray):
        return int(value.__array_interface__["data"][0])
    if not hasattr(value, "unsafe_buffer_pointer") or value.is_deleted():
        return None
    return int(value.unsafe_buffer_pointer())


def goes_in(value: Any) -> bool:
    """Whether a jax array can be an argument of a program as it is.

    One that is committed to its device would need another compilation: on the CPU it is passed as
    a NumPy view instead. A weak type would change what jax computes.
    """
    import jax

    if child.forked or not isinstance(value, jax.Array) or isinstance(value, jax.core.Tracer):
        return False
    if value.is_deleted() or value.weak_type or (value.committed and on_cpu()):
        return False
    default = chosen_device() or jax.config.jax_default_device or jax.local_devices()[0]
    return bool(value.devices() == {default})


def on_cpu() -> bool:
    """Whether programs run in the memory that NumPy uses."""
    return platform() == "cpu"


def writeable(value: Any) -> Any:
    """The array, or a copy of it if it is read-only."""
    return value if value.flags.writeable else np.array(value)
