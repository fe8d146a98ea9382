"""The group of processes that run one program together, and the history of this process."""

from __future__ import annotations

import hashlib
from collections import deque


class ProcessGroup:
    """The process group, for lower layers; ``distributed.initialize`` fills it in.

    ``history`` is a digest of the actions that all processes must perform alike. Its size is fixed,
    so comparing it costs the same after any number of steps.
    """

    def __init__(self) -> None:
        self.joined = False
        self.count = 0
        self.last: deque[object] = deque(maxlen=3)
        self._history = hashlib.blake2b(digest_size=16)

    def note(self, what: object, mark: bytes | None = None) -> None:
        """Add to the history: ``what`` is shown in errors, ``mark`` (or ``what``) is compared."""
        if self.joined:
            self.count += 1
            self.last.append(what)
            self._history.update(str(what).encode() if mark is None else mark)
            self._history.update(b"\0")

    @property
    def history(self) -> bytes:
        return self._history.copy().digest()


process_group = ProcessGroup()
