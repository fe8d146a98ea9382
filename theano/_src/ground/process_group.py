"""Whether this process is one of several that run one program together."""

from __future__ import annotations


class ProcessGroup:
    """What the lower layers know of the other processes; ``distributed.initialize`` fills it in."""

    def __init__(self) -> None:
        self.joined = False


process_group = ProcessGroup()
