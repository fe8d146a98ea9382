"""The cost of work on each engine: rates of a machine, from which call times are estimated.

Rates ship with the project and may be measured once on a machine (``choice/calibrate.py``). They do
not change by themselves: with ``config.deterministic='more'``, which uses nothing else, a program
makes the same choices every time it runs on that machine.
"""

from __future__ import annotations

import math
import sys
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, NamedTuple

from theano._src.ground.atomic_files import write_private
from theano._src.ground.config import config

if TYPE_CHECKING:
    from pathlib import Path


class Kind(NamedTuple):
    """Seconds for a unit of one kind of work, with 8-byte and 4-byte numbers; and to compile."""

    numpy: float
    numpy_short: float
    xla: float
    xla_short: float
    #: seconds to compile one node of this kind
    compiling: float


def _kind(
    numpy: float, numpy_short: float, xla: float, xla_short: float, *, compiling: float
) -> Kind:
    return Kind(1e-9 * numpy, 1e-9 * numpy_short, 1e-9 * xla, 1e-9 * xla_short, 1e-3 * compiling)


# nanoseconds per unit: NumPy with 8 and 4 bytes, XLA with 8 and 4 bytes; milliseconds to compile.
# a unit is an element; for sorts n log2(n), for products and LAPACK an operation
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
    """Seconds for calls of either engine, for data in and out, for work, and for compiling."""

    #: per call of one NumPy loop; per op, for its Python code
    numpy_call: float = 6e-7
    numpy_node: float = 3.5e-6
    #: per element in the slowest loops; per byte of large arrays if a call allocates several: the
    #: system reclaims their memory and allocates it again
    numpy_slow: float = 1e-8
    numpy_new: float = 1.5e-10
    #: per call of a compiled program, per value in or out, per byte in, per byte out, and per byte
    #: between loops
    xla_call: float = 1.6e-5
    xla_value: float = 1.5e-6
    xla_in: float = 3e-11
    xla_out: float = 8e-11
    xla_between: float = 4e-11
    #: to load jax, to compile a program, and for each loop in it
    load: float = 0.6
    program: float = 0.02
    loop: float = 0.025
    kinds: dict[str, Kind] = field(default_factory=lambda: dict(KINDS))

    def loading(self) -> float:
        """Seconds to load jax; 0 if it is loaded."""
        return 0.0 if "jax" in sys.modules else self.load


_known: list[Rates] = []


def rates() -> Rates:
    """This machine's rates if they were measured, else those that ship."""
    if not _known:
        _known.append(_kept() or Rates())
    return _known[0]


def _where() -> Path:
    from pathlib import Path  # slow to import, as json is

    # each kind of device has its own rates
    kind = config.device.rstrip("0123456789:")
    return Path(str(config.compiledir)) / ("rates.json" if kind == "cpu" else f"rates-{kind}.json")


def _kept() -> Rates | None:
    import json

    try:
        data = json.loads(_where().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(data, dict) or set(data) != {f.name for f in fields(Rates)}:
        return None
    kinds = data.pop("kinds")
    if not isinstance(kinds, dict) or set(kinds) != set(KINDS):
        return None
    lists = all(isinstance(k, list) and len(k) == len(Kind._fields) for k in kinds.values())
    numbers = [*data.values(), *(n for k in kinds.values() if lists for n in k)]
    if not lists or not all(isinstance(n, float) and 0 <= n < math.inf for n in numbers):
        return None
    return Rates(**data, kinds={name: Kind(*k) for name, k in kinds.items()})


def keep(measured: Rates) -> None:
    """Write rates to disk: functions compiled from now on, in any process, use them."""
    import json

    path = _where()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(path, json.dumps(asdict(measured), indent=1).encode())
    _known[:] = [measured]
