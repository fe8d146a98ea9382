"""BLAS's threads: as many as the processors this process may use, or one where that is faster.

Where other processes use the processors too, threads that work on one product wait for each other,
a slice of the scheduler each time: a step of a perceptron takes 28 ms instead of 6. No figure of
the system tells so in time; the calls themselves do.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, NamedTuple

from theano._src.ground.config import config
from theano._src.ground.processors import asked_threads, threads, visible

#: one thread is kept if calls take less than this share of what they took; all are, once again
_BETTER_ALONE, _BETTER_AGAIN = 0.75, 0.9
#: seconds until the other number is tried again: the first time, and at most
_AGAIN, _LONGEST = 4.0, 60.0
#: seconds after which a trial whose key is not called any more is over
_ABANDONED = 10.0


class _Trial(NamedTuple):
    """Whose calls are timed; what they took before, and with how many threads."""

    owner: Any
    took: float
    since: float
    threads: int


class BlasThreads:
    """The number of threads that every BLAS in this process has while our functions run.

    ``with`` this object BLAS has no more than that number; outside it has what the user gave it.
    ``limits`` says whether that makes a difference. A *trial* belongs to one key of one function:
    its calls are timed with another number of threads, and what was better stays, for all
    functions. While a thread of ours compiles, BLAS has one thread fewer.

    Parameters
    ----------
    clock : function
        Seconds from some start.
    libraries : function, optional
        What has ``get_num_threads`` and ``set_num_threads``: every BLAS that is loaded.
    """

    def __init__(
        self,
        clock: Callable[[], float] = monotonic,
        libraries: Callable[[], list[Any]] | None = None,
    ) -> None:
        self._clock = clock
        self._find = libraries or _loaded_libraries
        self._libraries: list[Any] = []
        #: how many threads there may be, and are in our calls; 0 while nobody has looked
        self.most = self.now = 0
        self.limits = False
        self._lock = threading.Lock()
        #: how many calls run, and what each library had before the first of them
        self._running = 0
        self._before: list[tuple[Any, int]] = []
        self._again, self._wait = 0.0, _AGAIN
        self._trial: _Trial | None = None
        #: threads of ours that compile
        self._compiling = 0

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
        """Let BLAS have no more threads in our calls than this process may use."""
        if self.most == 0 and allowed_threads() < visible():
            self.look()

    @contextmanager
    def beside_compiling(self) -> Iterator[None]:
        """Leave a processor to the thread that calls this; another thread has called ``look``.

        Threads of BLAS wait for each other, and so for the one that shares its processor: without
        this a call may take thirty times as long while something is compiled.
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
                self._end(self._trial.threads)  # its calls do not compare
            self._set(self.now)

    def begin_trial(self, owner: Any, took: float, slow: bool) -> bool:
        """Whether a key whose calls take ``took`` shall be timed with another number of threads.

        ``slow`` says that they take many times what they should.
        """
        if self._trial is not None and self._clock() - self._trial.since > _ABANDONED:
            self._end(self._trial.threads)
        if self._trial is not None or (self.now != 1 and not slow) or self._clock() < self._again:
            return False
        if self._compiling:
            return False
        self.look()
        if self.most < 2:
            self._again = math.inf
            return False
        self._trial = _Trial(owner, took, self._clock(), self.now)
        self._set(1 if self.now > 1 else self.most)
        return True

    def on_trial(self, owner: Any) -> bool:
        """Whether it is this key that is timed with another number of threads."""
        return self._trial is not None and self._trial.owner is owner

    @property
    def before(self) -> float:
        """What calls took before the trial."""
        assert self._trial is not None
        return self._trial.took

    def end_trial(self, took: float) -> bool:
        """Keep the number that was tried if calls took little enough with it; whether it was."""
        assert self._trial is not None
        wanted = _BETTER_ALONE if self.now == 1 else _BETTER_AGAIN
        kept = took < wanted * self._trial.took
        self._wait = _AGAIN if kept else min(_LONGEST, 2 * self._wait)
        self._end(self.now if kept else self._trial.threads)
        return kept

    def _end(self, number: int) -> None:
        self._trial = None
        self._set(number)
        self._again = self._clock() + self._wait


def allowed_threads() -> int:
    """Threads that either engine may use; one if ``config.openmp`` is False."""
    return threads() if config.openmp else 1


def _loaded_libraries() -> list[Any]:
    try:
        from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]
    except ImportError:
        return []
    result = ThreadpoolController().lib_controllers
    return [library for library in result if library.user_api == "blas"]


blas_threads = BlasThreads()
