"""What work costs on each engine: rates of a machine, from which calls are estimated.

Rates ship with the project and may be measured once on a machine (`calibrate`). They do not change
by themselves: with ``config.deterministic='more'``, which goes by them alone, a program makes the
same choices whenever it runs there.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from theano._src.engines.jax_xp import jax_xp, jit, x64
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.config import config
from theano._src.ground.xp import numpy_xp

if TYPE_CHECKING:
    from pathlib import Path


class Kind(NamedTuple):
    """Seconds for a unit of one kind of work, with numbers of 8 bytes and of 4; and to compile."""

    numpy: float
    numpy_short: float
    xla: float
    xla_short: float
    #: of compiling a node of it
    compiling: float


def _kind(
    numpy: float, numpy_short: float, xla: float, xla_short: float, *, compiling: float
) -> Kind:
    return Kind(1e-9 * numpy, 1e-9 * numpy_short, 1e-9 * xla, 1e-9 * xla_short, 1e-3 * compiling)


# nanoseconds on NumPy, with 8 bytes and 4, and on XLA likewise; milliseconds of compiling.
# a unit is an element; of sorts n log2(n), of products and of LAPACK an operation
# fmt: off
KINDS: dict[str, Kind] = {
    "light":            _kind(0.35,  0.15,  0.03,  0.02,  compiling=1),
    "root":             _kind(1.0,   0.35,  0.4,   0.3,   compiling=1),
    "select":           _kind(5.0,   5.0,   0.05,  0.05,  compiling=1),
    "exp":              _kind(0.8,   0.45,  0.9,   0.6,   compiling=2),
    "tanh":             _kind(2.0,   0.5,   1.4,   1.0,   compiling=2),
    "sigmoid":          _kind(8.0,   4.0,   2.0,   0.7,   compiling=2),
    "log":              _kind(1.2,   0.8,   9.0,   3.0,   compiling=3),
    "sin":              _kind(11.0,  0.7,   8.0,   3.0,   compiling=2),
    "arc":              _kind(2.1,   0.6,   10.0,  12.0,  compiling=3),
    "power":            _kind(3.5,   4.5,   30.0,  30.0,  compiling=2),
    "softplus":         _kind(4.0,   2.0,   2.6,   2.0,   compiling=4),
    "special":          _kind(15.0,  15.0,  25.0,  12.0,  compiling=5),
    "mod":              _kind(16.0,  18.0,  3.0,   3.0,   compiling=1),
    "temporary":        _kind(0.8,   0.4,   0.0,   0.0,   compiling=0),
    "copy":             _kind(0.35,  0.17,  0.6,   0.4,   compiling=5),
    "reduction":        _kind(0.4,   0.6,   0.3,   0.3,   compiling=25),
    "search":           _kind(0.3,   0.2,   4.5,   4.0,   compiling=40),
    "cumulative":       _kind(3.0,   3.3,   7.0,   10.0,  compiling=100),
    "gather":           _kind(1.5,   1.2,   3.0,   2.5,   compiling=50),
    "scatter":          _kind(4.0,   3.5,   6.0,   6.0,   compiling=60),
    "sort":             _kind(0.3,   0.25,  22.0,  20.0,  compiling=25),
    "argsort":          _kind(8.0,   7.5,   25.0,  25.0,  compiling=40),
    "product":          _kind(0.013, 0.0075, 0.013, 0.0065, compiling=4),
    "products":         _kind(0.016, 0.008, 0.034, 0.014, compiling=10),
    "stream":           _kind(0.2,   0.1,   0.2,   0.15,  compiling=0),
    "lapack":           _kind(0.016, 0.010, 0.026, 0.016, compiling=15),
    "lapack of stacks": _kind(0.09,  0.07,  0.09,  0.07,  compiling=15),
    "fourier":          _kind(1.2,   1.0,   2.0,   1.5,   compiling=10),
    "convolution":      _kind(0.08,  0.045, 0.025, 0.014, compiling=150),
    "window":           _kind(0.7,   0.5,   0.8,   0.6,   compiling=30),
    "sparse product":   _kind(3.5,   3.0,   8.0,   8.0,   compiling=110),
    "sparse sample":    _kind(10.0,  10.0,  4.5,   4.5,   compiling=100),
    "call":             _kind(1500., 1500., 300.,  300.,  compiling=2),
}
# fmt: on


@dataclass(frozen=True)
class Rates:
    """Seconds: of a call of either engine, of what goes in and out, of work, of compiling."""

    #: of a call of NumPy: of one of its loops, of what an op does in Python
    numpy_call: float = 6e-7
    numpy_node: float = 3.5e-6
    #: of an element in its slowest loops; of a byte of large arrays, if a call makes several: the
    #: system takes their memory back, and gives it anew
    numpy_slow: float = 1e-8
    numpy_new: float = 1.5e-10
    #: of a call of a compiled program, of a value that goes in or out, of bytes in and out, and of
    #: those between loops
    xla_call: float = 1.6e-5
    xla_value: float = 1.5e-6
    xla_in: float = 3e-11
    xla_out: float = 8e-11
    xla_between: float = 4e-11
    #: of loading jax, of compiling a program, and of each loop in it
    load: float = 0.6
    program: float = 0.02
    loop: float = 0.025
    kinds: dict[str, Kind] = field(default_factory=lambda: dict(KINDS))

    def loading(self) -> float:
        """Seconds to load jax if nobody has."""
        return 0.0 if "jax" in sys.modules else self.load


_known: list[Rates] = []


def rates() -> Rates:
    """This machine's rates if they were measured, those that ship otherwise."""
    if not _known:
        _known.append(_kept() or Rates())
    return _known[0]


def _where() -> Path:
    from pathlib import Path  # slow to import, as json is

    # another device has other rates
    kind = config.device.rstrip("0123456789:")
    return Path(str(config.compiledir)) / ("rates.json" if kind == "cpu" else f"rates-{kind}.json")


def _kept() -> Rates | None:
    import json

    try:
        found = json.loads(_where().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(found, dict) or set(found) != {f.name for f in fields(Rates)}:
        return None
    kinds = found.pop("kinds")
    if not isinstance(kinds, dict) or set(kinds) != set(KINDS):
        return None
    lists = all(isinstance(k, list) and len(k) == len(Kind._fields) for k in kinds.values())
    numbers = [*found.values(), *(n for k in kinds.values() if lists for n in k)]
    if not lists or not all(isinstance(n, float) and 0 <= n < math.inf for n in numbers):
        return None
    return Rates(**found, kinds={name: Kind(*k) for name, k in kinds.items()})


# measuring

_LENGTH = 100_000


class _Sample(NamedTuple):
    """Work of one kind: what to do with a vector of numbers between 0.1 and 1; units in it."""

    run: Callable[[Any, Any], Any]
    units: float = _LENGTH


def _chain(step: Callable[[Any, Any], Any], times: int) -> Callable[[Any, Any], Any]:
    def run(xp: ArrayNamespace, x: Array) -> Any:
        for _ in range(times):
            x = step(xp, x)
        return x

    return run


def _repeated(step: Callable[[Any, Any], Any], times: int = 4) -> _Sample:
    return _Sample(_chain(step, times), times * _LENGTH)


def _square(x: Any) -> Any:
    return x[:90_000].reshape(300, 300)


_SORTED = _LENGTH * math.log2(_LENGTH)

# kinds that are not here keep the rates that ship
_SAMPLES: dict[str, _Sample] = {
    "light": _repeated(lambda xp, x: x * x + 0.25, 8)._replace(units=16 * _LENGTH),
    "root": _repeated(lambda xp, x: xp.sqrt(x)),
    # a chain must stay within the range of the numbers that it begins with
    "exp": _repeated(lambda xp, x: xp.exp(x) * 0.3),
    "log": _repeated(lambda xp, x: xp.log1p(x)),
    "sin": _repeated(lambda xp, x: xp.sin(x)),
    "arc": _repeated(lambda xp, x: xp.arctan(x)),
    "power": _repeated(lambda xp, x: xp.power(x, x)),
    "tanh": _repeated(lambda xp, x: xp.tanh(x)),
    "reduction": _Sample(lambda xp, x: xp.sum(x)),
    "search": _Sample(lambda xp, x: xp.argmax(x)),
    "cumulative": _Sample(lambda xp, x: xp.cumsum(x)),
    "sort": _Sample(lambda xp, x: xp.sort(x), _SORTED),
    "argsort": _Sample(lambda xp, x: xp.argsort(x), _SORTED),
    "gather": _Sample(lambda xp, x: x[xp.astype(x * 1e4, "int64")]),
    "product": _Sample(lambda xp, x: xp.dot(_square(x), _square(x)), 2 * 300**3),
}


def calibrate(keep: bool = True, xla: bool = True) -> Rates:
    """Measure this machine, in some seconds, and keep what was found.

    Parameters
    ----------
    keep : bool
        Whether to write it to ``rates.json`` under ``config.compiledir``: functions that are made
        from now on, here and in other processes, go by it.
    xla : bool
        Whether to measure XLA too, and not NumPy alone.

    Returns
    -------
    Rates

    >>> calibrate(keep=False, xla=False).numpy_call > 0
    True
    """
    tiny = np.ones(4)
    x = np.random.default_rng(0).uniform(0.1, 1.0, _LENGTH)
    slow = _seconds(lambda: np.power(x, 1.7)) / _LENGTH
    found = Rates(numpy_call=_seconds(lambda: np.add(tiny, tiny)), numpy_slow=max(slow, 1e-8))
    kinds = dict(found.kinds)
    for name, sample in _SAMPLES.items():
        for dtype, form in (("float64", ""), ("float32", "_short")):
            data = x.astype(dtype)
            took = {f"numpy{form}": _on_numpy(sample, data) / sample.units}
            if xla:
                took[f"xla{form}"] = _on_xla(sample, data) / sample.units
            kinds[name] = kinds[name]._replace(**took)
    found = replace(found, kinds=kinds)
    if xla:
        call, into, out = _of_calls()
        found = replace(found, xla_call=call, xla_in=into, xla_out=out)
    if keep:
        import json

        where = _where()
        where.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = where.with_name(f"{where.stem}.{os.getpid()}.part")
        part.write_text(json.dumps(asdict(found), indent=1), encoding="utf-8")
        part.replace(where)
        _known[:] = [found]
    return found


def _on_numpy(sample: _Sample, data: Any) -> float:
    return _seconds(lambda: sample.run(numpy_xp, data))


def _on_xla(sample: _Sample, data: Any) -> float:
    import jax

    with x64():
        run = jit(lambda x: sample.run(jax_xp, x))
        there = jax.numpy.array(data)
        run(there).block_until_ready()
        return _seconds(lambda: run(there).block_until_ready())


def _of_calls() -> tuple[float, float, float]:
    """Seconds of a call of a compiled program, of a byte that goes in, and of one that comes out.

    On a device that is not the host these are what decides.
    """
    import jax

    with x64():
        run = jit(lambda x: x + 1)
        tiny, large = np.ones(4), np.ones(1 << 20)
        there = jax.numpy.array(large)
        for x in (tiny, large, there):
            run(x).block_until_ready()
        call = min(_seconds(lambda: np.asarray(run(tiny))) for _ in range(10))
        inside = _seconds(lambda: run(there).block_until_ready())
        into = _seconds(lambda: run(large).block_until_ready())
        made = run(there).block_until_ready()
        # an array that was brought over once is kept beside the result
        out = _seconds(lambda: np.array(jax.device_get(made), copy=True))
    # on a busy machine the difference may be nothing, or less: at most a terabyte in a second
    return call, max(1e-12, (into - inside) / large.nbytes), out / large.nbytes


def _seconds(call: Callable[[], Any]) -> float:
    """The least of a few times: what else the machine does only adds."""
    best = math.inf
    for _ in range(5):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return max(best, 1e-9)
