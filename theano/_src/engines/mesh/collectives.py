"""The data that the devices of a mesh exchange, read from a compiled program."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Container, Iterable
from math import prod
from typing import NamedTuple

import numpy as np

from theano._src.engines.mesh.hlo_text import Computation, HloText, Instruction, elements_of, nbytes

KINDS = frozenset(
    "all-reduce all-gather reduce-scatter all-to-all collective-permute "
    "collective-broadcast".split()
)


class Collective(NamedTuple):
    """An exchange of values between devices.

    Attributes
    ----------
    kind : str
    nbytes : int
        The bytes of the value per device, where it is whole: the result, and of a reduce-scatter
        the operand.
    group : tuple of int
        The devices of the first group; each group exchanges its own values.
    times : int
        How often it runs in a call of the program.
    pieces : tuple of int
        The bytes of each value, where XLA gathers several at once.
    """

    kind: str
    nbytes: int
    group: tuple[int, ...] = ()
    times: int = 1
    pieces: tuple[int, ...] = ()


def collectives_in(text: str) -> list[Collective]:
    """The collectives of a program, from XLA's text of it.

    >>> text = '''HloModule jit_step, num_partitions=8
    ... ENTRY %main (a: f64[784,10], b: f64[10]) -> (f64[784,10], f64[10]) {
    ...   %a = f64[784,10]{1,0} parameter(0)
    ...   %b = f64[10]{0} parameter(1)
    ...   ROOT %r = (f64[784,10]{1,0}, f64[10]{0}) all-reduce(%a, %b), replica_groups=[2,4]<=[8]
    ... }'''
    >>> collectives_in(text)
    [Collective(kind='all-reduce', nbytes=62800, group=(0, 1, 2, 3), times=1, pieces=())]
    """
    program = HloText(text)
    collectives: list[Collective] = []
    parts: dict[str, int] = {}
    for each, times, computation, within in program.runs():
        kind = each.op.removesuffix("-start")
        if kind not in KINDS:
            continue
        channel = each.attribute("channel_id") if computation.name != within else None
        if channel in parts:
            # a collective beside other work is in each of the fusions that start, continue and end
            # it; those that continue may be in a loop
            before = collectives[parts[channel]]
            collectives[parts[channel]] = before._replace(times=min(before.times, times))
            continue
        if channel is not None:
            parts[channel] = len(collectives)
        if computation.name != within and _is_sliced(each, computation):
            kind = "reduce-scatter"
        group = _group(each, program.devices)
        split = len(group) if each.op.startswith("reduce-scatter") else 1
        sizes = [split * nbytes(one) for one in elements_of(_result_of(each))]
        pieces = tuple(sizes) if kind == "all-gather" and len(sizes) > 1 else ()
        collectives.append(Collective(kind, sum(sizes), group, times, pieces))
    return collectives


def _is_sliced(each: Instruction, fusion: Computation) -> bool:
    """Whether a device keeps only a part of a sum: XLA for TPUs writes a reduce-scatter so."""
    behind = {each.name}
    for other in fusion.instructions.values():
        if other.operands and other.operands[0] in behind:
            if other.op == "dynamic-slice":
                return each.op == "all-reduce"
            if other.op in ("bitcast", "copy", "convert", "reshape"):
                behind.add(other.name)
    return False


def _result_of(each: Instruction) -> str:
    """The type of a collective's result: one that only starts also has its operands."""
    if not each.op.endswith("-start"):
        return each.type
    elements = elements_of(each.type)
    is_pair = elements[0].startswith("(") or each.op != "all-reduce-start"
    return elements[1] if is_pair and len(elements) > 1 else each.type


def _group(each: Instruction, devices: int) -> tuple[int, ...]:
    """The first group of devices that exchange values; all of them if the text names none."""
    if (match := re.search(r"source_target_pairs=\{\{(\d+),(\d+)\}", each.rest)) is not None:
        return int(match[1]), int(match[2])
    if (match := re.search(r"replica_groups=\{\{([\d,]+)\}", each.rest)) is not None:
        return tuple(int(n) for n in match[1].split(","))
    iota = re.search(r"replica_groups=\[(\d+),(\d+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?", each.rest)
    if iota is not None:
        grid = np.arange(int(iota[1]) * int(iota[2])).reshape(_numbers(iota[3]))
        turned = grid.transpose(_numbers(iota[4])) if iota[4] else grid
        return tuple(turned.reshape(int(iota[1]), -1)[0].tolist())
    named = re.search(r"replica_groups=mesh\[([^\]]*)\] \{([^}]*)\}", each.rest)
    if named is not None:
        return _group_over(named[1], named[2])
    return tuple(range(devices))


def _group_over(axes: str, over: str) -> tuple[int, ...]:
    """The devices that differ in their places on some axes: ``'a'=4,'b'=2`` and ``'a','b':(2)1``.

    Of an axis, ``:(before)size`` takes a part: the axis is a grid whose first lengths multiply to
    ``before``.
    """
    lengths = {name: int(n) for name, n in re.findall(r"'([^']+)'=(\d+)", axes)}
    stride = dict.fromkeys(lengths, 1)
    for name in lengths:
        behind = list(lengths)[list(lengths).index(name) + 1 :]
        stride[name] = prod(lengths[other] for other in behind)
    group = np.zeros(1, int)
    for name, before, size in re.findall(r"'([^']+)'(?::\((\d+)\)(\d+))?", over):
        count = int(size or lengths[name])
        step = stride[name] * (lengths[name] // (int(before or 1) * count))
        group = (group[:, None] + np.arange(count) * step).reshape(-1)
    return tuple(group.tolist())


def _numbers(text: str) -> list[int]:
    return [int(n) for n in text.split(",")]


def summed(collectives: Iterable[Collective]) -> dict[str, tuple[int, int]]:
    """For each kind, the number of collectives and their total bytes, in a call."""
    table: dict[str, tuple[int, int]] = {}
    for each in collectives:
        count, total = table.get(each.kind, (0, 0))
        table[each.kind] = (count + each.times, total + each.times * each.nbytes)
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
    """The time of a collective, in a call, over so many devices: the better of a ring and a tree.

    A ring of devices passes parts on; a double tree passes a sum up and down.
    """
    if devices < 2:
        return 0.0
    if each.kind == "collective-permute":
        return each.times * (link.latency + each.nbytes / link.bandwidth)
    twice = 2 if each.kind == "all-reduce" else 1
    share = each.nbytes * (devices - 1) / devices
    ring = twice * ((devices - 1) * link.latency + share / link.bandwidth)
    if each.kind != "all-reduce":
        return each.times * ring
    tree = 2 * (math.log2(devices) * link.latency + each.nbytes / link.bandwidth)
    return each.times * min(ring, tree)


def unmeant(each: Collective, is_meant: Callable[[int], bool]) -> int:
    """The bytes of a collective without the values whose sizes are meant."""
    return sum(size for size in each.pieces or (each.nbytes,) if not is_meant(size))


def facts_of(collectives: list[Collective], meant: Container[int]) -> list[str]:
    """Lines that describe a program's collectives; ``meant`` are the sizes of split state."""
    if not collectives:
        return ["nothing"]
    counts = [f"{n} {kind}, {total:,} bytes" for kind, (n, total) in summed(collectives).items()]
    times = (
        f"{sum(seconds_of(c, len(c.group), link) for c in collectives) * 1e3:.3g} ms by {link.name}"
        for link in LINKS
    )
    lines = ["; ".join(counts), f"predicted {', '.join(times)}"]
    for each in collectives:
        size = unmeant(each, meant.__contains__)
        if each.kind == "all-gather" and size >= _LARGE:
            lines.append(
                f"an all-gather of {size:,} bytes brings a split value to every device: a "
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
