"""Ratios of two programs measured in turns in one process, for the benchmarks beside this file.

Calls alternate, so that a busy machine slows both; a ratio is the median over pairs of blocks,
with its quartiles.
"""

import argparse
import dataclasses
import gc
import os
import platform
import statistics
import time
from collections.abc import Callable

import jax
import numpy as np

import theano

# first calls are measured: nothing compiled may come from the disk, on either side
theano.config.xla.disk_cache = False

XLA = theano.Mode("xla")
random = np.random.default_rng(0)


@dataclasses.dataclass(frozen=True)
class Row:
    """One line of the table: ``make(scale)`` gives our call and the one it is compared with."""

    name: str
    aim: float
    make: Callable[[float], tuple[Callable[[], object], Callable[[], object]]]
    beside: str = "jax"


def numbers(*shape: int, dtype: str = "float64") -> np.ndarray:
    """Random numbers in memory that XLA can read where it is; other memory it copies first."""
    found = random.normal(size=shape).astype(dtype)
    room = np.empty(found.nbytes + 64, "uint8")
    start = -room.ctypes.data % 64
    aligned = room[start : start + found.nbytes].view(dtype).reshape(shape)
    aligned[...] = found
    return aligned


_width = [0]


def new_width(least: int) -> int:
    """A size not met before: what is compiled once may be kept by XLA."""
    _width[0] += 1
    return least + _width[0]


@dataclasses.dataclass(frozen=True)
class Found:
    """Microseconds a call on both sides, and the median and quartiles of their ratio."""

    name: str
    beside: str
    aim: float
    ours: float
    theirs: float
    low: float
    ratio: float
    high: float

    @property
    def met(self) -> bool:
        return self.ratio <= self.aim

    def __str__(self) -> str:
        spread = f"{self.low:.2f}..{self.high:.2f}"
        mark = "" if self.met else "  missed"
        return (
            f"{self.name:54}{self.ours:11.1f}{self.theirs:11.1f}{self.ratio:7.2f} {spread:>12}"
            f"{self.aim:6.2f} {self.beside}{mark}"
        )


def summary(name, beside, aim, ours, theirs) -> Found:
    ratios = sorted(a / b for a, b in zip(ours, theirs, strict=True))
    low, ratio, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
    return Found(
        name,
        beside,
        aim,
        statistics.median(ours) * 1e6,
        statistics.median(theirs) * 1e6,
        low,
        ratio,
        high,
    )


def block(call: Callable[[], object], times: int) -> float:
    """Seconds a call, over a few calls."""
    started = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - started) / times


def compare(one: Row, seconds: float, scale: float) -> Found:
    with jax.enable_x64(True):
        ours, theirs = one.make(scale)

    def beside(times: int) -> float:
        if one.beside != "jax":
            return block(theirs, times)
        # a user of JAX says so once for the process: not a part of the call
        with jax.enable_x64(True):
            return block(theirs, times)

    for _ in range(3):
        block(ours, 1), beside(1)
    once = max(block(ours, 3), beside(3))
    times = max(1, int(1e-3 / once))
    pairs = int(min(max(seconds / (2 * once * times), 5), 2000))
    found = []
    gc.collect()
    gc.disable()
    for k in range(pairs):
        # who goes first takes turns: the second finds its memory warm
        if k % 2:
            b = beside(times)
            found.append((block(ours, times), b))
        else:
            found.append((block(ours, times), beside(times)))
    gc.enable()
    return summary(one.name, one.beside, one.aim, *zip(*found, strict=True))


def compare_first(
    name: str, aim: float, ours: Callable[[], float], theirs: Callable[[], float], rounds: int
) -> Found:
    """Compare two that give the seconds each took itself; the first round is not counted."""
    ours(), theirs()
    found = []
    for k in range(rounds):
        if k % 2:
            b = theirs()
            found.append((ours(), b))
        else:
            found.append((ours(), theirs()))
    return summary(name, "jax", aim, *zip(*found, strict=True))


def asked(doc: str) -> argparse.Namespace:
    """The options that the benchmarks share."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--assert", dest="check", action="store_true")
    return parser.parse_args()


def print_machine() -> None:
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}, JAX {jax.__version__}"
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"{versions}, {os.cpu_count()} cores, load {load:.1f} at the start")


def print_heading() -> None:
    print(f"{'us a call':54}{'ours':>11}{'beside':>11}{'ratio':>7} {'quartiles':>12}{'aim':>6}")
