"""The data that the devices of a mesh exchange, read from a compiled program."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable
from math import prod
from typing import NamedTuple

_KINDS = "all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute|collective-broadcast"
_CALL = re.compile(rf"= (\(.*?\)|\S+) ({_KINDS})(?:-start)?\(")
_ARRAY = re.compile(r"(pred|[a-z]+?)(\d*)(?:e\d+m\d+\w*)?\[([\d,]*)\]")


class Collective(NamedTuple):
    """An exchange of values between devices: its kind, and the bytes of the result per device."""

    kind: str
    nbytes: int


def collectives_in(text: str) -> list[Collective]:
    """The collectives of a program, from XLA's text of it.

    >>> text = "%r = (f64[784,10]{1,0}, f64[10]{0}) all-reduce(%a, %b), channel_id=1"
    >>> collectives_in(text)
    [Collective(kind='all-reduce', nbytes=62800)]
    """
    collectives = []
    for line in text.splitlines():
        call = _CALL.search(line)
        if call is not None:
            collectives.append(Collective(call[2], sum(map(_nbytes, _ARRAY.findall(call[1])))))
    return collectives


def _nbytes(array: tuple[str, str, str]) -> int:
    kind, bits, lengths = array
    size = 8 if kind == "pred" else int(bits or 8)
    return size * prod(int(n) for n in lengths.split(",") if n) // 8


def summed(collectives: Iterable[Collective]) -> dict[str, tuple[int, int]]:
    """For each kind, the number of collectives and their total bytes."""
    table: dict[str, tuple[int, int]] = {}
    for kind, nbytes in collectives:
        count, total = table.get(kind, (0, 0))
        table[kind] = (count + 1, total + nbytes)
    return table


class Link(NamedTuple):
    """A connection between devices: its name, bytes per second, and seconds of latency."""

    name: str
    bandwidth: float
    latency: float


#: the connections for which `explain` predicts times
LINKS = (
    Link("10 Gb/s Ethernet", 1.25e9, 25e-6),
    Link("100 Gb/s", 12.5e9, 5e-6),
    Link("100 GB/s", 100e9, 2e-6),
)


def seconds_of(each: Collective, devices: int, link: Link) -> float:
    """The time of a collective over so many devices: the better of a ring and a double tree."""
    if devices < 2:
        return 0.0
    twice = 2 if each.kind == "all-reduce" else 1
    share = each.nbytes * (devices - 1) / devices
    ring = twice * ((devices - 1) * link.latency + share / link.bandwidth)
    if each.kind != "all-reduce":
        return ring
    tree = 2 * (math.log2(devices) * link.latency + each.nbytes / link.bandwidth)
    return min(ring, tree)


def facts_of(collectives: list[Collective], devices: int, meant: Container[int]) -> list[str]:
    """Lines that describe a program's collectives; ``meant`` are the sizes of split state."""
    if not collectives:
        return ["nothing"]
    counts = [f"{n} {kind}, {total:,} bytes" for kind, (n, total) in summed(collectives).items()]
    times = (
        f"{sum(seconds_of(c, devices, link) for c in collectives) * 1e3:.3g} ms by {link.name}"
        for link in LINKS
    )
    lines = ["; ".join(counts), f"predicted {', '.join(times)}"]
    for each in collectives:
        if each.kind == "all-gather" and each.nbytes >= _LARGE and each.nbytes not in meant:
            lines.append(
                f"an all-gather of {each.nbytes:,} bytes brings a split value to every device: a "
                "reshape that merges the split dimension with one before it, or an index into a "
                "split data set; constrain what is read instead"
            )
    return lines


#: gathers from this many bytes are reported
_LARGE = 1 << 16


def efficiency(
    collectives: Iterable[Collective], compute: float, devices: int, link: Link
) -> float:
    """The fraction of a step spent on computing, if each device computes as much as one alone.

    Communication is assumed not to overlap with computing. XLA hides a part of it on accelerators,
    so this is a lower bound.
    """
    return compute / (compute + sum(seconds_of(each, devices, link) for each in collectives))
