"""What calls took: the last few measured times, as one number that a single outlier cannot move."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection

#: times that are kept, and how many of them make a typical one
KEPT = 5
ENOUGH = 3
#: a measured time less than this many times another is as good as equal to an estimate
_TRUSTED = 2.0


def median(values: Collection[float]) -> float:
    """The middle one of a few numbers; ``statistics`` takes longer to import than it is worth."""
    return sorted(values)[len(values) // 2]


class CallTimes:
    """The last few times of one engine's calls."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: deque[float] = deque(maxlen=KEPT)

    def note(self, seconds: float) -> None:
        """Keep one more time."""
        self._last.append(seconds)

    def forget(self) -> None:
        """Begin anew: something has changed that times depend on."""
        self._last.clear()

    @property
    def typical(self) -> float | None:
        """The median, or None while there are too few to tell."""
        return median(self._last) if len(self._last) >= ENOUGH else None

    @property
    def least(self) -> float | None:
        """The least of them: calls take no longer than that, unless the machine is busy."""
        return min(self._last, default=None)


def power_of_two(ratio: float) -> float:
    """A measured ratio in coarse steps: 1 within a factor of two, else the nearest power of two.

    Estimates are no better than that; and runs under like conditions see the same step, mostly.

    >>> [power_of_two(r) for r in (0.1, 0.6, 1.9, 5.0, 6.0)]
    [0.125, 1.0, 1.0, 4.0, 8.0]
    """
    if 1 / _TRUSTED < ratio < _TRUSTED:
        return 1.0
    return float(2.0 ** math.floor(math.log2(ratio) + 0.5))
