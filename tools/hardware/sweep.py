"""Compile items for chips, several in a process of the compiler; goes on where it ended."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import NamedTuple

from theano._src.engines.planning.compiler import Compiled, compiled_for
from theano._src.engines.planning.dry_call import Traced
from theano._src.types.topology import Topology, topology
from tools.hardware.cases import Item, lowered
from tools.hardware.lists import CHIPS
from tools.hardware.programs import Program
from tools.hardware.recorder import Lowered

#: items that share a process of the compiler, which takes seconds to start
_TOGETHER = 24


class Result(NamedTuple):
    """What became of an item on a chip.

    ``what`` is ``"compiled"``, ``"host"`` (no program is left), ``"none"`` (there is no such case),
    ``"refused"`` by the compiler, or ``"fails"`` before that.
    """

    chip: str
    item: str
    what: str
    why: str = ""


def read(path: Path) -> dict[tuple[str, str], Result]:
    """The results in a file of JSON lines."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    results = (Result(**json.loads(line)) for line in lines)
    return {(r.chip, r.item): r for r in results}


def run(chip: str, wanted: Sequence[Item | Program], path: Path) -> Iterator[Result]:
    """Compile those items that the file has no result of, and add theirs."""
    known = read(path)
    left = [item for item in wanted if (chip, str(item)) not in known]
    path.parent.mkdir(parents=True, exist_ok=True)
    for start in range(0, len(left), _TOGETHER):
        results = list(together(chip, left[start : start + _TOGETHER]))
        with path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(result._asdict()) + "\n" for result in results)
        yield from results


def together(chip: str, some: Iterable[Item | Program]) -> Iterator[Result]:
    """The results of a few items, whose programs one process compiles."""
    left: list[tuple[str, Lowered]] = []
    for item in some:
        name = str(item)
        try:
            found = _lowered(item, chip)
        except Exception as error:
            yield Result(chip, name, "fails", _short(error))
            continue
        if found.failed:
            yield Result(chip, name, "fails", _short(found.failed[0]))
        elif not found.calls:
            yield Result(chip, name, "none")
        elif not any(call.programs for call in found.calls):
            yield Result(chip, name, "host", found.calls[0].left or "")
        else:
            left.append((name, found))
    # a mesh, or one chip of each kind
    for _, lot in groupby(left, lambda one: (one[1].topology, one[1].axes)):
        named = list(lot)
        where, axes = named[0][1][:2]
        programs = [[p for call in found.calls for p in call.programs] for _, found in named]
        compiled = iter(_compiled(topology(where), axes, programs))
        for (name, _), own in zip(named, programs, strict=True):
            errors = [c.error for c in islice(compiled, len(own)) if c.error is not None]
            what = "refused" if errors else "compiled"
            yield Result(chip, name, what, _short("".join(errors[:1])))


def _lowered(item: Item | Program, chip: str) -> Lowered:
    if isinstance(item, Program):
        return item.lowered()[chip]
    call = lowered(item, topology(CHIPS[chip]))
    return Lowered(CHIPS[chip], None, [] if call is None else [call], [])


def _compiled(
    there: Topology, axes: dict[str, int] | None, lots: Sequence[list[Traced]]
) -> list[Compiled]:
    """Compile the programs of several items."""
    programs = [p for lot in lots for p in lot]
    try:
        return compiled_for(there, axes, programs)
    except RuntimeError as error:  # the process ended: each item gets one of its own
        if len(lots) == 1:
            return [Compiled("", {}, b"", str(error)) for _ in programs]
        return [c for lot in lots for c in _compiled(there, axes, [lot])]


def _short(error: object) -> str:
    name = f"{type(error).__name__}: " if isinstance(error, Exception) else ""
    return f"{name}{error}".replace("\n", " ")[:300]
