"""How many processors this process may use: by what the user said, its affinity and its quota."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from functools import cache

#: environment variables by which users limit the threads of BLAS, and OpenMP's last
VARIABLES = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
_CGROUP = "/sys/fs/cgroup"


def asked_threads(environment: Mapping[str, str] | None = None) -> int | None:
    """How many threads the user asked for by an environment variable; None if by none."""
    for name in VARIABLES:
        first = (os.environ if environment is None else environment).get(name, "").split(",")[0]
        if first.strip().isdigit() and int(first) > 0:
            return int(first)
    return None


def quota(folder: str = _CGROUP) -> float:
    """Processors' worth of time that the control group of this process gets; inf without a limit.

    Containers are limited so: the processors are all visible, and stop when the time is used up.
    """
    for names in (("cpu.max",), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us")):
        try:
            words: list[str] = []
            for name in names:
                with open(os.path.join(folder, name), encoding="ascii") as file:
                    words += file.read().split()
            time, period = int(words[0]), int(words[1])
        except (OSError, ValueError, IndexError):
            continue  # no such file, or "max"
        if time > 0 and period > 0:
            return time / period
    return math.inf


def visible() -> int:
    """Processors that this process may be scheduled on."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


@cache
def processors() -> int:
    """Processors that this process may really use: those it may run on, within its quota."""
    return max(1, math.ceil(min(quota(), visible())))


def threads() -> int:
    """Threads for work that uses several: what the user asked for, or one a processor."""
    return asked_threads() or processors()
