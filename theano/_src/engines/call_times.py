"""The last few measured call times, summarized by a number that resists outliers."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection

#: the number of times that are kept, and the number needed for a typical one
KEPT = 5
ENOUGH = 3
#: ratios of measured to estimated time within this factor count as equal
_TRUSTED = 2.0


def median(values: Collection[float]) -> float:
    """The middle one of a few numbers; importing ``statistics`` would take too long."""
    return sorted(values)[len(values) // 2]


class CallTimes:
    """The last few call times on one engine."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: deque[float] = deque(maxlen=KEPT)

    def note(self, seconds: float) -> None:
        self._last.append(seconds)

    def forget(self) -> None:
        """Forget all times: something that they depend on has changed."""
        self._last.clear()

    @property
    def typical(self) -> float | None:
        """The median, or None while there are too few times."""
        return median(self._last) if len(self._last) >= ENOUGH else None

    @property
    def least(self) -> float | None:
        """The least time: a call takes no longer unless the machine is busy."""
        return min(self._last, default=None)


def power_of_two(ratio: float) -> float:
    """Round a measured ratio: 1 within a factor of two, else the nearest power of two.

    Estimates are no more precise than that, and similar runs mostly get the same step.

    >>> [power_of_two(r) for r in (0.1, 0.6, 1.9, 5.0, 6.0)]
    [0.125, 1.0, 1.0, 4.0, 8.0]
    """
    if 1 / _TRUSTED < ratio < _TRUSTED:
        return 1.0
    return float(2.0 ** math.floor(math.log2(ratio) + 0.5))
