"""The number of BLAS threads: one per processor this process may use, or one if that is faster.

If other processes use the processors too, threads that work on one product wait for each other, a
slice of the scheduler each time: a step of a perceptron takes 28 ms instead of 6, one of an LSTM
1 s instead of 20 ms. So where all processors are used when the first function is made, calls begin
with one thread. Later their durations decide.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, NamedTuple

from theano._src.ground.config import config
from theano._src.ground.processors import asked_threads, crowding, threads, visible

#: a trial's number of threads is kept if calls take less than this fraction of their time before:
#: for a trial of one thread, and for a trial of all threads
_BETTER_ALONE, _BETTER_AGAIN = 0.75, 0.9
#: seconds until the other number is tried again: initially, and at most
_AGAIN, _LONGEST = 4.0, 60.0
#: seconds after which a trial ends if its key is no longer called
_ABANDONED = 10.0


class _Trial(NamedTuple):
    """The key whose calls are timed, their time before, the start, and the threads before."""

    owner: Any
    took: float
    since: float
    threads: int


class BlasThreads:
    """The number of threads that every BLAS in this process uses while our functions run.

    Within ``with`` on this object, BLAS uses at most that number; outside, the user's own setting.
    ``limits`` tells whether that makes a difference. A *trial* belongs to one key of one function:
    its calls are timed with another number of threads, and the better number is kept, for all
    functions. While one of our threads compiles, BLAS uses one thread fewer.

    Parameters
    ----------
    clock : function
        Returns seconds since some fixed time.
    libraries : function, optional
        Returns every loaded BLAS as objects with ``get_num_threads`` and ``set_num_threads``.
    """

    def __init__(
        self,
        clock: Callable[[], float] = monotonic,
        libraries: Callable[[], list[Any]] | None = None,
    ) -> None:
        self._clock = clock
        self._find = libraries or _loaded_libraries
        self._libraries: list[Any] = []
        #: the most threads allowed, and the number in our calls; 0 before the first ``look``
        self.most = self.now = 0
        self.limits = False
        self._lock = threading.Lock()
        #: the number of running calls, and each library's setting before the first of them
        self._running = 0
        self._before: list[tuple[Any, int]] = []
        self._again, self._wait = 0.0, _AGAIN
        self._trial: _Trial | None = None
        #: the number of our threads that compile
        self._compiling = 0
        #: why there is one thread, where that is so
        self.why = ""

    def look(self) -> None:
        """Find every BLAS that is loaded by now: SciPy's comes after NumPy's."""
        libraries = [] if asked_threads() is not None else self._find()
        with self._lock:
            self._libraries = libraries
            if self.most == 0:
                have = [n for n in (c.get_num_threads() for c in libraries) if n]
                self.most = self.now = min(max([1, *have]), allowed_threads())
            self._set(self.now)

    def _set(self, number: int) -> None:
        self.now = number
        most = self._most_now()
        self.limits = any(n > most for _, n in self._before or self._numbers())

    def _most_now(self) -> int:
        return max(1, min(self.now, self.most - self._compiling))

    def _numbers(self) -> list[tuple[Any, int]]:
        return [(library, library.get_num_threads() or 0) for library in self._libraries]

    def __enter__(self) -> None:
        with self._lock:
            self._running += 1
            if self._running == 1:
                self._before = self._numbers()
                most = self._most_now()
                for library, number in self._before:
                    if number > most:
                        library.set_num_threads(most)

    def __exit__(self, *raised: object) -> None:
        with self._lock:
            self._running -= 1
            if self._running == 0:
                for library, number in self._before:
                    if library.get_num_threads() != number:
                        library.set_num_threads(number)
                self._before = []

    def keep_to_quota(self) -> None:
        """Limit BLAS in our calls to the number of processors this process may use."""
        if self.most == 0 and allowed_threads() < visible():
            self.look()

    def give_way(self) -> None:
        """Begin with one thread if other processes use all processors."""
        if self.most or crowding() == 1:
            return
        self.look()
        if self.most > 1:
            self.why = "all processors were busy"
            self._end(1)

    @contextmanager
    def beside_compiling(self) -> Iterator[None]:
        """Leave a processor to the calling thread; another thread must have called ``look``.

        BLAS threads wait for each other, and so for the one that shares its processor: without
        this, a call may take thirty times as long during a compilation.
        """
        self._share(1)
        try:
            yield
        finally:
            self._share(-1)

    def _share(self, more: int) -> None:
        with self._lock:
            self._compiling += more
            if self._trial is not None:
                self._end(self._trial.threads)  # its calls are not comparable any more
            self._set(self.now)

    def begin_trial(self, owner: Any, took: float, slow: bool) -> bool:
        """Start a trial for a key whose calls take ``took`` seconds; return whether it started.

        ``slow`` tells that they take many times as long as they should.
        """
        if self._trial is not None and self._clock() - self._trial.since > _ABANDONED:
            self._end(self._trial.threads)
        if self._trial is not None or (self.now != 1 and not slow) or self._clock() < self._again:
            return False
        if self._compiling or (self.now == 1 and crowding() > 1):
            return False
        self.look()
        if self.most < 2:
            self._again = math.inf
            return False
        self._trial = _Trial(owner, took, self._clock(), self.now)
        self._set(1 if self.now > 1 else self.most)
        return True

    def on_trial(self, owner: Any) -> bool:
        """Whether the running trial belongs to this key."""
        return self._trial is not None and self._trial.owner is owner

    @property
    def before(self) -> float:
        """Seconds that calls took before the trial."""
        assert self._trial is not None
        return self._trial.took

    def end_trial(self, took: float) -> bool:
        """Keep the tried number if calls are fast enough with it; return whether it was kept."""
        assert self._trial is not None
        wanted = _BETTER_ALONE if self.now == 1 else _BETTER_AGAIN
        kept = took < wanted * self._trial.took
        self.why = "they took less time so"
        self._wait = _AGAIN if kept else min(_LONGEST, 2 * self._wait)
        self._end(self.now if kept else self._trial.threads)
        return kept

    def _end(self, number: int) -> None:
        self._trial = None
        self._set(number)
        self._again = self._clock() + self._wait


def allowed_threads() -> int:
    """The number of threads that either engine may use; one if ``config.openmp`` is False."""
    return threads() if config.openmp else 1


def _loaded_libraries() -> list[Any]:
    try:
        from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]
    except ImportError:
        return []
    result = ThreadpoolController().lib_controllers
    return [library for library in result if library.user_api == "blas"]


blas_threads = BlasThreads()
