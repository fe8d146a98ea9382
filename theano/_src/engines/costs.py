"""What calls cost on each engine: rates of a machine, from which choices are made, never clocks.

Rates ship with the project and may be measured once on a machine (`calibrate`), so that the same
program makes the same choices whenever it runs there.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from theano._src.ground.config import config


@dataclass(frozen=True)
class Rates:
    """Seconds: of a call of either engine, of an element in it, of compiling."""

    #: of a call of NumPy, of an element in a usual loop, and in its slowest ones
    numpy_call: float = 1e-6
    numpy_element: float = 1.5e-9
    numpy_slow: float = 1e-8
    #: of a call of a compiled program, whatever it does
    xla_call: float = 8e-6
    #: of loading jax, of compiling a program, and of each node in it
    load: float = 1.0
    program: float = 0.1
    node: float = 0.005

    def compiling(self, nodes: int) -> float:
        """Seconds to compile so many nodes, and to load jax if nobody has."""
        found = self.program + self.node * nodes
        return found if "jax" in sys.modules else found + self.load


_known: list[Rates] = []


def rates() -> Rates:
    """This machine's rates if they were measured, those that ship otherwise."""
    if not _known:
        _known.append(_kept() or Rates())
    return _known[0]


def _where() -> Path:
    return Path(str(config.compiledir)) / "rates.json"


def _kept() -> Rates | None:
    try:
        found = json.loads(_where().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    whole = isinstance(found, dict) and set(found) == {f.name for f in fields(Rates)}
    if not whole or not all(isinstance(v, float) and v > 0 for v in found.values()):
        return None
    return Rates(**found)


def calibrate(keep: bool = True) -> Rates:
    """Measure NumPy on this machine, in a second, and keep what was found.

    Parameters
    ----------
    keep : bool
        Whether to write it to ``rates.json`` under ``config.compiledir``: functions that are made
        from now on, here and in other processes, go by it.

    Returns
    -------
    Rates

    >>> calibrate(keep=False).numpy_call > 0
    True
    """
    n = 200_000
    tiny, x = np.ones(4), np.linspace(0.1, 1.0, n)
    measured = {
        "numpy_call": 2 * _seconds(lambda: np.add(tiny, tiny)),
        "numpy_element": _seconds(lambda: np.add(x, x)) / n,
        "numpy_slow": _seconds(lambda: np.power(x, 1.7)) / n,
    }
    found = Rates(**{**asdict(Rates()), **measured})
    if keep:
        where = _where()
        where.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = where.with_name(f"rates.{os.getpid()}.part")
        part.write_text(json.dumps(asdict(found), indent=1), encoding="utf-8")
        part.replace(where)
        _known[:] = [found]
    return found


def _seconds(call: Callable[[], Any]) -> float:
    """The least of a few times: what else the machine does only adds."""
    best = math.inf
    for _ in range(9):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return max(best, 1e-9)
