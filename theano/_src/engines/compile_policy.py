"""CompilePolicy: which keys of a function are compiled, and when (ADR 13)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from enum import Enum
from typing import Any

from theano._src.engines.estimate import Estimate

#: keys that are remembered; of more, those that came least often are forgotten
_MOST = 1024
#: more calls than anybody makes
NEVER = 1 << 62


class Decision(Enum):
    """Where a call goes."""

    NUMPY = "on NumPy"
    COUNT = "on NumPy, counting what it takes"
    XLA = "on XLA"


class KeyRecord:
    """The calls of one key.

    ``left`` is how many more calls go to NumPy before anybody asks again: the one number that a
    call looks at.
    """

    __slots__ = ("before", "estimate", "fresh", "given", "left", "on_xla", "quick", "ran", "why")

    def __init__(self) -> None:
        self.left = self.given = self.before = 0
        self.estimate: Estimate | None = None
        self.on_xla = False
        #: whether it has moved, and nobody has compiled it yet
        self.fresh = False
        #: calls on XLA since something was compiled
        self.ran = 0
        #: a call on XLA, by values of the inputs, once it is known to compile nothing more
        self.quick: Callable[..., Any] | None = None
        self.why = "is not counted yet"

    @property
    def calls(self) -> int:
        """Calls on NumPy since the key last had to begin anew."""
        return self.before + self.given - self.left

    def set_budget(self, more: int) -> None:
        """Let so many more calls go to NumPy."""
        self.before, self.given, self.left = self.calls, more, more


class CompilePolicy:
    """The keys of one function.

    Each key pays for itself: it moves to XLA when what its calls would have saved there comes to
    what compiling takes. That is at most twice the better of both for each key, and so for any
    sequence of keys, whether they repeat or not. What is paid once for all of them, loading jax, is
    paid from what keys have lost beyond their own compiling.

    Parameters
    ----------
    loading : function
        Seconds that the first compilation takes on top of its own.
    room : function
        How many keys are kept compiled.
    """

    #: seconds lost by waiting for jax, in all functions
    waited = 0.0

    def __init__(self, loading: Callable[[], float], room: Callable[[], int]) -> None:
        self._loading, self._room = loading, room
        self.records: dict[Any, KeyRecord] = {}
        self.held: OrderedDict[Any, None] = OrderedDict()  # the latest last
        self.moved = 0

    def decide(self, key: Any, calls: int = 1, count_at: int = 2) -> Decision:
        """Where a call goes; a new key is counted at its call of that number."""
        record = self.records.get(key)
        if record is None:
            record = self.records[key] = KeyRecord()
            record.before = calls
            if len(self.records) > _MOST:
                self._forget()
            if calls >= count_at:
                return Decision.COUNT
            record.set_budget(count_at - calls - 1)
            return Decision.NUMPY
        if record.on_xla:
            self.held.move_to_end(key)
            record.ran += calls
            return Decision.XLA
        if record.left > 0:
            record.left -= calls
            return Decision.NUMPY
        if record.estimate is None:
            record.before += calls
            return Decision.COUNT
        return self._due(key, record, record.estimate, calls)

    def _due(self, key: Any, record: KeyRecord, estimate: Estimate, calls: int) -> Decision:
        short = self._loading()
        if short > 0:
            CompilePolicy.waited += estimate.gain * calls
            if CompilePolicy.waited < short:
                record.before += calls
                record.why = f"waits for jax, {CompilePolicy.waited:.2g} s of {short:.2g} s"
                return Decision.NUMPY
        self.promote(key)
        record.ran += calls
        return Decision.XLA

    def estimated(self, key: Any, estimate: Estimate) -> None:
        """Note what a call of a key takes."""
        record = self.records.get(key)
        if record is not None:
            record.estimate = estimate
            self._start(record)

    def _start(self, record: KeyRecord, times: int = 1) -> None:
        estimate = record.estimate
        needed = None if estimate is None else estimate.calls
        if needed is None:
            record.why = "is no slower there"
            record.set_budget(NEVER)
        else:
            record.why = "has not paid for compiling yet"
            record.set_budget(max(0, times * needed - record.calls))

    def promote(self, key: Any) -> None:
        """Let a key go to XLA from now on; the one that was there longest ago may have to leave."""
        record = self.records[key]
        record.before, record.given, record.left = record.calls, 0, 0
        record.on_xla, record.ran, record.why = True, 0, "has paid for compiling"
        record.fresh = True
        self.held[key] = None
        self.held.move_to_end(key)
        self.moved += 1
        while len(self.held) > max(1, self._room()):
            old, _ = self.held.popitem(last=False)
            self._leave(old, "its program was dropped")

    def compiled(self, key: Any, number: int) -> None:
        """Note that a key which was compiled before made XLA compile again: it has a new size.

        A key whose calls since have not paid for that goes back, and begins anew.
        """
        record = self.records.get(key)
        if record is None or record.estimate is None or not record.on_xla:
            return
        estimate, ran = record.estimate, record.ran
        record.ran = 0
        if ran * estimate.gain < number * estimate.compiling:
            self.held.pop(key, None)
            self._leave(key, "compiled again for other sizes")

    def give_up(self, key: Any, why: str) -> None:
        """Leave a key on NumPy for good."""
        self.held.pop(key, None)
        record = self.records.get(key)
        if record is not None:
            record.on_xla, record.why = False, why
            record.set_budget(NEVER)

    def _leave(self, key: Any, why: str) -> None:
        record = self.records.get(key)
        if record is not None:
            record.on_xla = False
            record.before = record.given = record.left = 0
            self._start(record)
            record.why = why

    def _forget(self) -> None:
        """Forget half of the keys: those that came least often, the oldest of them first."""
        rest = [k for k in self.records if k not in self.held]
        rest.sort(key=lambda k: self.records[k].calls)
        for key in rest[: len(rest) // 2]:
            del self.records[key]
