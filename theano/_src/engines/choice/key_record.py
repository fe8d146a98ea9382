"""KeyRecord: what is known of the calls of one key (ADR 13)."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

from theano._src.engines.call_times import CallTimes
from theano._src.engines.choice.estimate import Estimate


class Compilation:
    """A compilation in a thread: since when, whether it is over, and what went wrong."""

    def __init__(self) -> None:
        self.since = monotonic()
        self.over = False
        self.error: BaseException | None = None


class KeyRecord:
    """The calls of one key.

    ``left`` is how many more calls go where the last went before anybody asks again: the one number
    that a call looks at.
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
        "numpy",
        "on_trial",
        "on_xla",
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
        #: whether it has moved, and nobody has compiled it yet; whether its program is there
        self.fresh = self.compiled = False
        #: what a thread is compiling
        self.compilation: Compilation | None = None
        #: seconds that compiling took
        self.took: float | None = None
        #: a call on XLA, by values of the inputs
        self.quick: Callable[..., Any] | None = None
        self.why = "is not counted yet"
        self.numpy, self.xla = CallTimes(), CallTimes()
        #: timed calls that are to come, with ``gap`` others after each; then seconds of timed calls
        #: on the other engine
        self.samples, self.gap, self.probe = 0, 0, 0.0
        #: seconds that XLA would have saved in the first ``judged`` calls
        self.regret, self.judged = 0.0, 0
        #: comparisons in a row that were for the other engine; seconds since it was looked at
        self.votes, self.since = 0, 0.0
        #: whether it is compiled to see what XLA takes; how often that was done
        self.on_trial, self.trials = False, 0

    @property
    def calls(self) -> int:
        """Calls on NumPy since the key last had to begin anew."""
        return self._calls + (0 if self.on_xla else self.given - self.left)

    @property
    def ran(self) -> int:
        """Calls on XLA since something was compiled."""
        return self._ran + (self.given - self.left if self.on_xla else 0)

    def set_budget(self, more: int) -> None:
        """Let so many more calls go where the last went."""
        self._calls, self._ran = self.calls, self.ran
        self.given = self.left = more

    def move(self, to_xla: bool, why: str) -> None:
        """Let calls go to this engine from now on."""
        self.set_budget(0)
        self.on_xla, self.why = to_xla, why

    def count(self, number: int, on_xla: bool) -> None:
        """Count calls that were asked for."""
        if on_xla:
            self._ran += number
        else:
            self._calls += number

    def compiled_anew(self) -> None:
        """Begin to count calls on XLA."""
        self.set_budget(0)
        self._ran = 0

    def restart(self) -> None:
        """Begin to pay for compiling anew."""
        self.move(False, self.why)
        self._calls, self.regret, self.judged, self.probe = 0, 0.0, 0, 0.0
        self.compiled, self.compilation = False, None

    def time_calls(self, number: int, gap: int) -> None:
        """Time so many calls from now on, each after ``gap`` others."""
        self.samples, self.gap = number, gap
        self.set_budget(gap)

    def blas_share(self) -> float:
        """The share of a call on NumPy that BLAS is estimated to have."""
        estimate = self.estimate
        return 0.0 if estimate is None else estimate.blas / max(estimate.numpy, 1e-9)
