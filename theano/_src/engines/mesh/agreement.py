"""Processes check that they do the same thing before they do it together (ADR 25)."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from theano._src.engines.jax.private_jax import coordination_client
from theano._src.engines.mesh.peers import Late, Notified, Peers, Refused
from theano._src.ground.config import config
from theano._src.ground.process_group import process_group

#: prefix of the keys under which processes that stop publish what they were about to do
_NOTES = "theano/notes/"
#: seconds to wait for the notes of others, and for others to leave
_PATIENCE, _LEAVING = 1.0, 5.0
#: the reason of a process that only knows that another one does not continue
_NOTIFIED = "told"


class Disagreement(RuntimeError):
    """Processes that should do the same thing do not."""


class _Agreement:
    """Checks whether the other processes do what this one does."""

    def __init__(self) -> None:
        self.peers: Peers | None = None
        self.me, self.n = 0, 1
        #: what the processes disagreed on, after which they do nothing together
        self.over: str | None = None
        self._lock = threading.RLock()

    def begin(self, me: int, n: int, peers: Peers) -> None:
        self.me, self.n, self.peers, self.over = me, n, peers, None

    def meet(self, what: object, mark: bytes) -> None:
        """Return when all processes are about to do the same; raise Disagreement otherwise."""
        with self._lock:
            if self.over is not None:
                raise Disagreement(f"{self.over}; the processes do nothing together after that")
            process_group.note(what, mark)
            assert self.peers is not None
            try:
                self.peers.compare(process_group.history, config.distributed.timeout)
            except Refused as error:
                raise Disagreement(self._refuse(what, error)) from None

    def _refuse(self, what: object, refusal: Refused) -> str:
        """Tell the others that this process does not continue; return the error message."""
        reason = str(refusal)
        if isinstance(refusal, Late):
            reason += (
                f": within {config.distributed.timeout} s not all others did; "
                "config.distributed.timeout says how long to wait"
            )
        mine = self.leave_word(str(what), _NOTIFIED if isinstance(refusal, Notified) else reason)
        # a process that has not arrived has not been notified yet, and publishes nothing
        notes = self._notes(_PATIENCE if isinstance(refusal, Notified) else 0.0)
        others = [(k, *notes[k]) for k in sorted(notes) if k != self.me]
        self.over = f"process {self.me} comes to {what}, and {reason}"
        for who, theirs, why in others:
            if theirs != mine:
                self.over = (
                    f"process {who} comes to {theirs}, process {self.me} to {mine}: all processes "
                    "must make the same calls in the same order, with inputs of the same lengths, "
                    "and have the same values of what is replicated"
                )
                break
            if why != _NOTIFIED:
                self.over = f"process {who} comes to {what}, and {why}"
        return self.over

    def leave_word(self, what: str, reason: str) -> str:
        """Publish what this process was about to do, refuse to continue, and return the note."""
        before = list(process_group.last)[:-1]
        after = f", after {before[-1]}" if before else ""
        note = f"{what} (number {process_group.count} of what it does{after})"
        with suppress(Exception):  # the coordinator may be gone
            place, text = f"{_NOTES}{self.me}", json.dumps([note, reason])
            coordination_client().key_value_set(place, text, allow_overwrite=True)
        if self.peers is not None:
            self.peers.refuse()
        return note

    def _notes(self, seconds: float) -> dict[int, tuple[str, str]]:
        """For each process that does not continue, what it was about to do, and why."""
        notes: dict[int, tuple[str, str]] = {}
        limit = time.monotonic() + seconds
        with suppress(Exception):
            while True:
                result = coordination_client().key_value_dir_get(_NOTES)
                notes = {int(key.rpartition("/")[2]): tuple(json.loads(x)) for key, x in result}
                if len(notes) == self.n or time.monotonic() > limit:
                    break
                time.sleep(0.02)
        return notes

    def leave(self, why: str) -> None:
        """Leave the group: notify the other processes, and let the coordinator leave last."""
        if self.peers is None:
            return
        if self.over is None:
            self.over = f"process {self.me} has come to {why}"
            self.leave_word(why, _NOTIFIED)
        self.peers.wait_for_children(_LEAVING)
        # NOTE: jax aborts processes that outlive the coordinator, even if only their destructors do
        self.peers.keep_open()

    def close(self) -> None:
        if self.peers is not None:
            self.peers.close()
        self.peers = None


agreement = _Agreement()


def agree(what: str, value: Callable[[], bytes]) -> None:
    """Check that all processes arrive here with the same value; raise Disagreement otherwise.

    A collective cannot be used: if processes differ, some are in another one, and all would wait
    forever.
    """
    if process_group.joined:
        digest = hashlib.blake2b(value(), digest_size=16).digest()
        agreement.meet(what, what.encode() + digest)
