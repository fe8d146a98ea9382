"""KeyRecord: the state of the choice for one key (ADR 13)."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, perf_counter
from typing import Any

from theano._src.engines.call_times import CallTimes
from theano._src.engines.choice.estimate import Estimate

#: BLAS threads matter to a call that spends this fraction in BLAS: each product may wait for a
#: processor that serves others
_BLAS = 0.05


class Compilation:
    """A compilation in a thread: when it started, whether it is over, and its error."""

    def __init__(self) -> None:
        self.since = monotonic()
        self.over = False
        self.error: BaseException | None = None


class KeyRecord:
    """The calls of one key.

    ``left`` is the number of calls that follow the last decision before the policy decides again:
    the only number that a call has to check.
    """

    __slots__ = (
        "_calls",
        "_ran",
        "compilation",
        "compiled",
        "estimate",
        "fresh",
        "gap",
        "given",
        "judged",
        "left",
        "mark",
        "numpy",
        "on_trial",
        "on_xla",
        "paused",
        "probe",
        "quick",
        "regret",
        "samples",
        "since",
        "took",
        "trials",
        "votes",
        "why",
        "xla",
    )  # fmt: skip

    def __init__(self) -> None:
        self.left = self.given = self._calls = self._ran = 0
        self.estimate: Estimate | None = None
        self.on_xla = False
        #: whether it has moved and is not compiled yet; whether its program exists
        self.fresh = self.compiled = False
        #: the running compilation in a thread
        self.compilation: Compilation | None = None
        #: seconds that compiling took
        self.took: float | None = None
        #: a function of the input values that runs the call on XLA
        self.quick: Callable[..., Any] | None = None
        self.why = "is not counted yet"
        #: the time after the last timed call on the host, and the number of calls by then
        self.mark = (0.0, 0)
        self.numpy, self.xla = CallTimes(), CallTimes()
        #: number of timed calls to come, with ``gap`` untimed ones after each; then seconds of
        #: timed calls on the other engine
        self.samples, self.gap, self.probe = 0, 0, 0.0
        #: seconds that XLA would have saved in the first ``judged`` calls
        self.regret, self.judged = 0.0, 0
        #: comparisons in a row that favoured the other engine; seconds since it was last timed
        self.votes, self.since = 0, 0.0
        #: whether it waited for machine code when it was last judged
        self.paused = False
        #: whether it is compiled only to measure XLA; how often that was done
        self.on_trial, self.trials = False, 0

    @property
    def calls(self) -> int:
        """Calls on NumPy since the key last started over."""
        return self._calls + (0 if self.on_xla else self.given - self.left)

    @property
    def ran(self) -> int:
        """Calls on XLA since the last compilation."""
        return self._ran + (self.given - self.left if self.on_xla else 0)

    def set_budget(self, more: int) -> None:
        """Let this many further calls follow the last decision."""
        self._calls, self._ran = self.calls, self.ran
        self.given = self.left = more

    def move(self, to_xla: bool, why: str) -> None:
        """Send calls to this engine from now on."""
        self.set_budget(0)
        self.on_xla, self.why = to_xla, why

    def count(self, number: int, on_xla: bool) -> None:
        """Count calls that the policy decided on."""
        if on_xla:
            self._ran += number
        else:
            self._calls += number

    def compiled_anew(self) -> None:
        """Start to count calls on XLA."""
        self.set_budget(0)
        self._ran = 0

    def restart(self) -> None:
        """Return to NumPy and start over to pay for compiling."""
        self.move(False, self.why)
        self._calls, self.regret, self.judged, self.probe = 0, 0.0, 0, 0.0
        self.mark = (0.0, 0)
        self.compiled, self.compilation = False, None

    def at_most(self, seconds: float, start: float, calls: int) -> float:
        """``seconds`` of a call on the host, or the mean since the last timed call if that is less.

        A timed call among others may find cold caches. The mean includes what the user does
        between calls, so it is never too small.
        """
        since, before = self.mark
        number = self.calls - calls - before
        if since and number > calls:
            seconds = min(seconds, (start - since) / number)
        self.mark = (perf_counter(), self.calls)
        return seconds

    def time_calls(self, number: int, gap: int) -> None:
        """Time this many calls from now on, each after ``gap`` others."""
        self.samples, self.gap = number, gap
        self.set_budget(gap)

    @property
    def uses_blas(self) -> bool:
        """Whether the threads of BLAS matter to a call on the host, by its estimate."""
        estimate = self.estimate
        return estimate is not None and estimate.blas > _BLAS * max(estimate.numpy, 1e-9)
