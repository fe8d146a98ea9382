"""Measured times of loading jax and of compiling on this machine, kept on disk."""

from __future__ import annotations

import atexit
import math
import sys
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from theano._src.engines.call_times import KEPT, median, power_of_two
from theano._src.engines.costs import rates
from theano._src.ground.atomic_files import write_private
from theano._src.ground.config import config

if TYPE_CHECKING:
    from pathlib import Path


_SLOWEST = 4.0


class MeasuredRates:
    """Measured load and compile times, which replace estimates in the next process.

    Parameters
    ----------
    where : function, optional
        Returns the file in which they are kept; without it nothing is kept.
    """

    def __init__(self, where: Callable[[], Path] | None = None) -> None:
        self._where = where
        self._read = self._writes = False
        self._load: float | None = None
        #: measured divided by estimated seconds, for recent compilations
        self._compilations: deque[float] = deque(maxlen=KEPT)

    def loading(self) -> float:
        """Seconds to load jax; 0 if it is loaded."""
        if "jax" in sys.modules:
            return 0.0
        self._look()
        return rates().load if self._load is None else self._load

    def slowness(self) -> float:
        """How many times as long as estimated compilations take: a power of two, 1 to 4.

        A program in the disk cache takes less time and a busy machine takes more; neither needs to
        hold the next time.
        """
        self._look()
        if not self._compilations:
            return 1.0
        return min(max(power_of_two(median(self._compilations)), 1.0), _SLOWEST)

    def loaded(self, seconds: float) -> None:
        self._look()
        self._load = seconds
        self._keep()

    def compiled(self, seconds: float, estimated: float) -> None:
        """Record the seconds that a compilation took, and its estimate."""
        if estimated > 0 and seconds > 0:
            self._look()
            self._compilations.append(seconds / estimated)
            self._keep()

    def _look(self) -> None:
        if self._read or self._where is None:
            return
        self._read = True
        import json

        try:
            data = json.loads(self._where().read_text(encoding="utf-8"))
            load, compiling = float(data["load"]), float(data["compiling"])
        except (OSError, ValueError, KeyError, TypeError):
            return
        if 0 < load < math.inf and 0 < compiling < math.inf:
            self._load = load
            self._compilations.append(compiling)

    def _keep(self) -> None:
        if self._where is not None and not self._writes:
            self._writes = True
            atexit.register(self.write)

    def write(self) -> None:
        """Write the measured times, at the end of the process."""
        if self._where is None or self._load is None or not self._compilations:
            return
        import contextlib
        import json

        with contextlib.suppress(OSError):
            path = self._where()
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # the least of them: larger ones reflect other load on the machine
            kept = {"load": self._load, "compiling": min(self._compilations)}
            write_private(path, json.dumps(kept).encode())


def _file() -> Path:
    from pathlib import Path  # slow to import, as json is

    return Path(str(config.compiledir)) / "measured.json"


measured_rates = MeasuredRates(_file)
