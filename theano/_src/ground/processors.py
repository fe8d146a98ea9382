"""The number of processors for this process: user settings, CPU affinity and cgroup quota."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from functools import cache

#: environment variables that limit the threads of BLAS; that of OpenMP is the last
VARIABLES = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
_CGROUP, _LOAD = "/sys/fs/cgroup", "/proc/loadavg"


def asked_threads(environment: Mapping[str, str] | None = None) -> int | None:
    """Return the number of threads that an environment variable sets; None if none does."""
    for name in VARIABLES:
        first = (os.environ if environment is None else environment).get(name, "").split(",")[0]
        if first.strip().isdigit() and int(first) > 0:
            return int(first)
    return None


def quota(folder: str = _CGROUP) -> float:
    """Return the CPU quota of this process's control group, in processors; inf without a limit.

    Containers are limited this way: all processors are visible, but pause when the quota is used.
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
    """Return the number of processors that this process may be scheduled on."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def crowding() -> float:
    """Return the tasks that run or wait for each processor of the machine now; 1.0 at least.

    Linux tells how many there are. Elsewhere nothing is known.
    """
    try:
        with open(_LOAD, encoding="ascii") as file:
            running = int(file.read().split()[3].split("/")[0])  # this thread is one of them
    except (OSError, ValueError, IndexError):
        return 1.0
    return max(1.0, running / (os.cpu_count() or 1))


@cache
def processors() -> int:
    """Return the number of processors that this process can use: affinity and quota."""
    return max(1, math.ceil(min(quota(), visible())))


def threads() -> int:
    """Return the number of threads to use: the user's setting, or one per processor."""
    return asked_threads() or processors()
