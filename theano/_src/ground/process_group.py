"""Whether this process is one of several that run one program together, and what it has done."""

from __future__ import annotations

import hashlib
from collections import deque


class ProcessGroup:
    """What the lower layers know of the other processes; ``distributed.initialize`` fills it in.

    ``history`` is a digest of what this process has done that all must do alike: it has no length,
    so that comparing it costs the same after any number of steps.
    """

    def __init__(self) -> None:
        self.joined = False
        self.count = 0
        self.last: deque[object] = deque(maxlen=3)
        self._history = hashlib.blake2b(digest_size=16)

    def note(self, what: object, mark: bytes | None = None) -> None:
        """Add to the history: ``what`` as errors tell it, ``mark`` as it is compared."""
        if self.joined:
            self.count += 1
            self.last.append(what)
            self._history.update(str(what).encode() if mark is None else mark)
            self._history.update(b"\0")

    @property
    def history(self) -> bytes:
        return self._history.copy().digest()


process_group = ProcessGroup()
