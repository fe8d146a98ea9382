"""CompilePolicy: which keys of a function are compiled, when, and where they run (ADR 13)."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from enum import Enum
from typing import Any

from theano._src.engines.blas_threads import BlasThreads, blas_threads
from theano._src.engines.call_times import ENOUGH
from theano._src.engines.choice.estimate import Estimate
from theano._src.engines.choice.key_record import Compilation, KeyRecord
from theano._src.engines.measured_rates import MeasuredRates

#: the most keys that are remembered; beyond that, the least frequent ones are forgotten
_MOST = 1024
#: more calls than a program will ever make
NEVER = 1 << 62
#: seconds of calls after which a key is judged again: before there is a program, and after
_LOOK_EARLY, _LOOK = 0.5, 2.0
#: a key changes its engine if the other one is this many times as fast, in this many comparisons
#: in a row
_BETTER, _AGREEING = 1.1, 2
#: if the other engine is this many times as fast, only that one is timed again to confirm it
_FAR_BETTER = 2.0
#: a probe of the other engine takes at most this fraction of the time since the last one, and these
#: seconds suffice: its first calls find cold caches, and OpenBLAS threads that spin for 0.1 s
_PROBE, _PROBE_SECONDS = 0.05, 0.15
#: the largest slowdown that is assumed for XLA too when BLAS is slow
_SHARED = 4.0
#: a call is slow if it takes this many times its estimate
_SLOW = 1.5
#: seconds of calls between two checks whether a thread has compiled a key
_ARRIVING = 0.02
#: a key is tried on XLA if it is estimated to take at most this many times as long there, once its
#: calls took this many times as long as compiling, and three calls on XLA take at most this
#: fraction of the time of those calls
_HOPELESS, _TRIED_AFTER, _TRIED_SHARE = 4.0, 2.0, 0.1
#: the same factor for calls of machine code, whose time is measured
_HOPELESS_NATIVE = 1.5
#: the fraction of the compile time that a key has to lose before a thread compiles it: compiling
#: takes longer while calls go on
_ASIDE = 0.8


_NO_SLOWER = "is no slower there"


class Decision(Enum):
    """Where a call goes, and whether it is timed."""

    NUMPY = "on NumPy"
    COUNT = "on NumPy, counting what it takes"
    TIME_NUMPY = "on NumPy, timed"
    XLA = "on XLA"
    TIME_XLA = "on XLA, timed"


class CompilePolicy:
    """Decides for each key of one function when to compile it and where it runs.

    A key moves to XLA when the time that its calls would have saved there reaches the time to
    compile it. Each key then takes at most twice the time of the better choice, and so does any
    sequence of keys, whether they repeat or not. Loading jax happens once for all keys: it is paid
    from the time that keys have lost beyond their own compiling.

    Call times are estimated, and measured now and then. Measured times correct the estimates, and
    decide between the engines once both have run. If compiling happens in a thread, a key that
    stays on NumPy by its estimate is compiled nevertheless, once its calls took twice as long as
    compiling: it stays on NumPy until XLA was measured to be faster.

    Parameters
    ----------
    loading : function
        Returns the seconds that the first compilation takes on top of its own.
    room : function
        Returns the number of keys that are kept compiled.
    measured : MeasuredRates, optional
        The measured rates of this machine. Without them nothing is timed: only estimates decide,
        and always in the same way.
    threads : BlasThreads, optional
        Sets the number of BLAS threads.
    aside : function
        Whether a thread compiles a key.
    early : function
        Whether a key is compiled before that has paid.
    hold : function
        Whether no key moves for now: machine code for the host is being compiled or optimised.
    crowding : function
        Returns the number of tasks for each processor: a thread takes that many times as long.
    """

    #: seconds lost by waiting for jax, in all functions
    waited = 0.0

    def __init__(
        self,
        loading: Callable[[], float],
        room: Callable[[], int],
        measured: MeasuredRates | None = None,
        threads: BlasThreads = blas_threads,
        aside: Callable[[KeyRecord], bool] = lambda record: False,
        early: Callable[[], bool] = lambda: False,
        hold: Callable[[], bool] = lambda: False,
        crowding: Callable[[], float] = lambda: 1.0,
    ) -> None:
        self._loading, self._room, self._aside, self._early = loading, room, aside, early
        self._hold, self._crowding = hold, crowding
        self._measured, self._threads = measured, threads
        self._measures = measured is not None
        #: whether calls on the host run as machine code: estimates for NumPy are too high
        self._is_native = False
        self.records: dict[Any, KeyRecord] = {}
        self.held: OrderedDict[Any, None] = OrderedDict()  # the latest last
        self.moved = 0

    # deciding where a call goes

    def decide(self, key: Any, calls: int = 1, count_at: int = 2) -> Decision:
        """Decide where a call goes; a new key is counted at its call number ``count_at``."""
        record = self.records.get(key)
        if record is None:
            return self._first(key, calls, count_at)
        if record.on_xla:
            self.used(key)
        if record.left > 0:
            record.left -= calls
            return Decision.XLA if record.on_xla else Decision.NUMPY
        decision = self._ask(key, record)
        record.count(calls, decision in (Decision.XLA, Decision.TIME_XLA))
        return decision

    def used(self, key: Any) -> None:
        """Mark the program of a key as the latest used: it is dropped last."""
        try:  # noqa: SIM105 - suppress takes longer than the rest of a call's bookkeeping
            self.held.move_to_end(key)
        except KeyError:
            pass  # another thread has dropped it

    def _first(self, key: Any, calls: int, count_at: int) -> Decision:
        if len(self.records) >= _MOST:
            self._forget()  # first, so that the key of this call stays
        record = self.record_of(key)
        record.count(calls, False)
        if calls >= count_at:
            return Decision.COUNT
        record.set_budget(count_at - calls - 1)
        return Decision.NUMPY

    def record_of(self, key: Any) -> KeyRecord:
        """The record of a key in use, created again if calls of other keys have dropped it."""
        return self.records.get(key) or self.records.setdefault(key, KeyRecord())

    def _ask(self, key: Any, record: KeyRecord) -> Decision:
        if record.fresh:
            return Decision.XLA
        if record.compilation is not None:
            return self._look_for(key, record, record.compilation)
        if not record.on_xla and record.estimate is None:
            return Decision.COUNT
        if not self._measures:
            if record.on_xla:
                record.set_budget(NEVER)
                return Decision.XLA
            return self._pay(key, record)
        if record.samples > 0:
            record.samples -= 1
            record.set_budget(record.gap)
            return Decision.TIME_XLA if record.on_xla else Decision.TIME_NUMPY
        if record.probe > 0:
            return Decision.TIME_NUMPY if record.on_xla else Decision.TIME_XLA
        if self._other_threads(record):
            record.time_calls(ENOUGH - 1, 0)
            return Decision.TIME_NUMPY
        return self._compare(record) if record.compiled else self._pay(key, record)

    def timed(self, key: Any, on_xla: bool, seconds: float, disturbed: bool = False) -> None:
        """Record the time of a call, unless a thread compiled meanwhile."""
        record = self.records.get(key)
        if record is None:
            return
        if disturbed:
            record.probe = 0.0
            return
        here, there = record.numpy, record.xla
        times, others = (there, here) if on_xla else (here, there)
        times.note(seconds)
        if self._threads.on_trial(record) and seconds > _FAR_BETTER * self._threads.before:
            self._end_trial(record, seconds)
        if on_xla != record.on_xla and record.probe > 0:
            record.probe -= max(seconds, 1e-6)
            took, present = times.typical, others.typical
            if took is None:
                record.probe = max(record.probe, 1e-6)
            elif present is not None and took > _FAR_BETTER * present:
                # a third of the probe rules out that a cold start is the reason
                record.probe = record.probe if record.probe > 2 / 3 * _PROBE_SECONDS else 0.0

    # before there is a program

    def estimated(self, key: Any, estimate: Estimate) -> None:
        """Record the estimate of a call."""
        record = self.records.get(key)
        if record is not None:
            record.estimate = estimate
            self._start(record)

    def _start(self, record: KeyRecord) -> None:
        estimate = record.estimate
        if estimate is None:
            record.set_budget(0)
            return
        record.why = _not_yet(estimate)
        self._wait(record, estimate)

    def _wait(self, record: KeyRecord, estimate: Estimate) -> None:
        """Set the number of calls after which a key is judged again."""
        missing = record.regret + estimate.gain * (record.calls - record.judged)
        needed = NEVER
        if estimate.gain > 0:
            needed = max(0, math.ceil((self._price(record, estimate) - missing) / estimate.gain))
        if not self._measures:
            record.set_budget(needed)
            return
        needed = min(needed, self._calls_to_trial(record, estimate))
        soon = max(1, record.calls // 2)
        many = min(needed, soon, int(_LOOK_EARLY / max(estimate.numpy, 1e-7)))
        record.time_calls(min(ENOUGH, needed), max(0, many // ENOUGH - 1))

    def _pay(self, key: Any, record: KeyRecord) -> Decision:
        """Move a key that has paid for compiling, and for its share of loading jax."""
        estimate = self.corrected(record)
        record.regret += estimate.gain * (record.calls - record.judged)
        record.judged = record.calls
        record.why = _not_yet(estimate)
        if self._hold():
            record.paused = True
            record.set_budget(min(1000, int(_ARRIVING / max(estimate.numpy, 1e-6))))
            return Decision.NUMPY
        if record.paused:
            # what was measured before is of the numpy engine or of unoptimised machine code
            record.paused = False
            record.numpy.forget()
            record.time_calls(ENOUGH - 1, 0)
            return Decision.TIME_NUMPY
        over = record.regret - self._price(record, estimate)
        if estimate.gain == 0 or over < 0:
            if self._calls_to_trial(record, estimate) == 0:
                record.on_trial, record.trials = True, record.trials + 1
                self.promote(key)
                return Decision.XLA
            self._wait(record, estimate)
            return Decision.NUMPY
        loading = 0.0 if self._early() else self._loading()
        if loading > 0:
            record.regret = estimate.compiling
            CompilePolicy.waited += max(over, estimate.gain)
            if CompilePolicy.waited < loading:
                record.why = f"waits for jax, {CompilePolicy.waited:.2g} s of {loading:.2g} s"
                return Decision.TIME_NUMPY if self._measures else Decision.NUMPY
        self.promote(key)
        return Decision.XLA

    def _price(self, record: KeyRecord, estimate: Estimate) -> float:
        """The seconds that a key has to lose on NumPy before it is compiled."""
        if self._early():
            return 0.0
        if not self._aside(record):
            return estimate.compiling
        return _ASIDE * estimate.compiling * self._crowding()

    def _calls_to_trial(self, record: KeyRecord, estimate: Estimate) -> int:
        """The number of further calls until a key is compiled whatever its estimate for XLA."""
        times = _HOPELESS_NATIVE if self._is_native else _HOPELESS
        hopeless = estimate.xla > times * estimate.numpy
        if not self._measures or hopeless or not self._aside(record):
            return NEVER
        work = 2.0**record.trials * (estimate.compiling + self._loading()) * self._crowding()
        spent = max(_TRIED_AFTER * work, ENOUGH / _TRIED_SHARE * estimate.xla)
        return max(0, math.ceil(spent / estimate.numpy) - record.calls)

    def corrected(self, record: KeyRecord) -> Estimate:
        """The estimate for a key, corrected by measured times."""
        estimate = record.estimate
        assert estimate is not None
        if self._measured is None:
            return estimate
        took = record.numpy.typical
        slowness = self._measured.slowness()
        if self._is_native:
            took = took or record.numpy.least or estimate.numpy
            return estimate._replace(numpy=took, compiling=estimate.compiling * slowness)
        if took is None:
            # a single call can only show that the estimate is too high
            took = min(estimate.numpy, record.numpy.least or estimate.numpy)
        slow = took / estimate.numpy
        # waiting BLAS threads slow down only NumPy; all other causes slow down XLA too
        threaded = record.uses_blas and not estimate.host_nodes
        return estimate._replace(
            numpy=estimate.numpy * slow,
            xla=estimate.xla * (min(slow, _SHARED) if threaded else slow),
            compiling=estimate.compiling * slowness,
        )

    def _other_threads(self, record: KeyRecord) -> bool:
        """Begin or end a trial of another number of BLAS threads; return whether one begins."""
        took = record.numpy.typical
        if took is None or record.on_xla or not record.uses_blas:
            return False
        threads, estimate = self._threads, record.estimate
        if threads.on_trial(record):
            self._end_trial(record, took)
            return False
        slow = estimate is not None and took >= _SLOW * estimate.numpy
        if not threads.begin_trial(record, took, slow):
            return False
        record.numpy.forget()
        return True

    def _end_trial(self, record: KeyRecord, took: float) -> None:
        """End a trial of another number of BLAS threads, in which calls took ``took`` seconds."""
        before = self._threads.before
        if not self._threads.end_trial(took):
            record.numpy.forget()
            for _ in range(ENOUGH):
                record.numpy.note(before)

    def becomes_native(self) -> None:
        """Note that calls on the host run as machine code from now on: all are timed again."""
        if not self._measures:
            return  # estimates alone decide, wherever calls run
        for record in list(self.records.values()):
            if record.estimate is not None and not record.on_xla:
                # what the calls on NumPy have lost remains lost
                gain = self.corrected(record).gain
                record.regret += gain * (record.calls - record.judged)
            record.judged = record.calls
            record.numpy.forget()
        self._is_native = True
        for record in list(self.records.values()):
            if not (record.on_xla or record.fresh or record.compilation or record.compiled):
                self._start(record)
                record.why = _NO_SLOWER
                if record.estimate is not None:
                    record.time_calls(ENOUGH, 0)

    # compiling

    def promote(self, key: Any) -> None:
        """Move a key to XLA; the least recently used key may have to leave."""
        record = self.record_of(key)
        record.move(True, "has paid for compiling")
        record.compiled_anew()
        record.fresh = True
        self.held[key] = None
        self.held.move_to_end(key)
        self.moved += 1
        while len(self.held) > max(1, self._room()):
            old, _ = self.held.popitem(last=False)
            self._leave(old, "its program was dropped")

    def compile_aside(self, key: Any) -> Compilation:
        """Keep a key on NumPy while a thread compiles it; return the thread's progress record."""
        record = self.record_of(key)
        record.move(False, "is being compiled")
        record.fresh, record.compilation = False, Compilation()
        return record.compilation

    def _look_for(self, key: Any, record: KeyRecord, compilation: Compilation) -> Decision:
        if not compilation.over:
            took = record.numpy.typical or (record.estimate.numpy if record.estimate else 0.0)
            record.set_budget(min(1000, int(_ARRIVING / max(took, 1e-6))))
            return Decision.NUMPY
        record.compilation = None
        if compilation.error is not None:
            error = compilation.error
            absent = isinstance(error, ImportError)
            self.give_up(key, str(error) if absent else f"compiling it failed: {error!r}")
            return Decision.NUMPY
        if record.on_trial:
            record.on_trial = False
            record.move(False, _NO_SLOWER)
            self.program_is_ready(key)
            return Decision.NUMPY
        record.move(True, "was compiled meanwhile")
        self.program_is_ready(key)
        return Decision.XLA

    def program_is_ready(self, key: Any) -> None:
        """Note that the program of a key is compiled."""
        record = self.records.get(key)
        if record is None:
            return
        record.fresh, record.compiled = False, True
        record.xla.forget()
        record.samples, record.probe, record.votes = 0, 0.0, 0
        if self._measures and record.on_xla:
            record.time_calls(ENOUGH, 0)

    def took_to_compile(self, key: Any, seconds: float) -> None:
        """Record the time of a compilation."""
        record = self.records.get(key)
        if record is None:
            return
        record.took = seconds
        if self._measured is not None and record.estimate is not None:
            self._measured.compiled(seconds, record.estimate.compiling)

    def compiled(self, key: Any, number: int) -> None:
        """Note that a compiled key made XLA compile again, for a new size.

        A key whose calls since then have not paid for that returns to NumPy and starts over.
        """
        record = self.records.get(key)
        if record is None or record.estimate is None or not record.on_xla:
            return
        estimate, ran = record.estimate, record.ran
        record.compiled_anew()
        if ran * estimate.gain < number * estimate.compiling:
            self.held.pop(key, None)
            self._leave(key, "compiled again for other sizes")

    def give_up(self, key: Any, why: str) -> None:
        """Keep a key on NumPy permanently."""
        self.held.pop(key, None)
        record = self.records.get(key)
        if record is not None:
            record.move(False, why)
            record.fresh, record.compilation = False, None
            record.set_budget(NEVER)

    # after compiling

    def _compare(self, record: KeyRecord) -> Decision:
        """Stay on an engine, change to the other one, or schedule timed calls there."""
        here, there = record.numpy.typical, record.xla.typical
        now, other = (there, here) if record.on_xla else (here, there)
        if now is None or other is None:
            record.probe = 0.0 if other is not None else _PROBE_SECONDS
            record.time_calls(ENOUGH, 0 if now is None else 5)
            return Decision.XLA if record.on_xla else Decision.NUMPY
        record.votes = record.votes + 1 if now > _BETTER * other else 0
        if record.votes == _AGREEING:
            record.move(not record.on_xla, "was measured to be faster there")
            record.votes, now, other = 0, other, now
        if record.votes:
            # both are timed again before the result counts
            record.probe, record.since = _PROBE_SECONDS, 0.0
            (record.numpy if record.on_xla else record.xla).forget()
            if now > _FAR_BETTER * other:
                record.time_calls(0, 0)
            else:
                (record.xla if record.on_xla else record.numpy).forget()
                record.time_calls(ENOUGH, 1)
        else:
            many = max(16, min(record.ran + record.calls, int(_LOOK / max(now, 1e-7))))
            record.since += many * now
            if _PROBE * record.since >= max(_PROBE_SECONDS, ENOUGH * other):
                record.probe, record.since = max(_PROBE_SECONDS, ENOUGH * other), 0.0
            record.time_calls(ENOUGH, many // ENOUGH)
        return Decision.XLA if record.on_xla else Decision.NUMPY

    def _leave(self, key: Any, why: str) -> None:
        record = self.records.get(key)
        if record is not None:
            record.restart()
            self._start(record)
            record.why = why

    def _forget(self) -> None:
        """Forget half of the keys without a program: the least frequent, the oldest first."""
        rest = [k for k in self.records if k not in self.held]
        rest.sort(key=lambda k: self.records[k].calls)
        for key in rest[: len(rest) // 2]:
            del self.records[key]


def _not_yet(estimate: Estimate) -> str:
    return "has not paid for compiling yet" if estimate.gain > 0 else _NO_SLOWER
