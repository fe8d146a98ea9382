"""Compile items for chips, several in a process of the compiler; goes on where it ended."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from theano._src.engines.planning.compiler import Compiled, compiled_for
from theano._src.engines.planning.dry_call import DryCall
from theano._src.types.topology import Topology, topology
from tools.hardware.cases import Item, lowered
from tools.hardware.lists import CHIPS

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


def run(chip: str, wanted: Sequence[Item], path: Path) -> Iterator[Result]:
    """Compile those items that the file has no result of, and add theirs."""
    known = read(path)
    left = [item for item in wanted if (chip, str(item)) not in known]
    path.parent.mkdir(parents=True, exist_ok=True)
    for start in range(0, len(left), _TOGETHER):
        results = list(together(chip, left[start : start + _TOGETHER]))
        with path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(result._asdict()) + "\n" for result in results)
        yield from results


def together(chip: str, some: Iterable[Item]) -> Iterator[Result]:
    """The results of a few items, whose programs one process compiles."""
    there = topology(CHIPS[chip])
    calls: list[tuple[str, DryCall]] = []
    for item in some:
        name = str(item)
        try:
            call = lowered(item, there)
        except Exception as error:
            yield Result(chip, name, "fails", _short(error))
            continue
        if call is None:
            yield Result(chip, name, "none")
        elif not call.programs:
            yield Result(chip, name, "host", call.left or "")
        else:
            calls.append((name, call))
    compiled = iter(_compiled(there, [call for _, call in calls]))
    for name, call in calls:
        errors = [c.error for c in (next(compiled) for _ in call.programs) if c.error is not None]
        yield Result(chip, name, "refused" if errors else "compiled", _short("".join(errors[:1])))


def _compiled(there: Topology, calls: Sequence[DryCall]) -> list[Compiled]:
    programs = [p for call in calls for p in call.programs]
    if not programs:
        return []
    try:
        return compiled_for(there, None, programs)
    except RuntimeError as error:  # the process ended: each program gets one of its own
        if len(calls) == 1:
            return [Compiled("", {}, b"", str(error)) for _ in programs]
        return [c for call in calls for c in _compiled(there, [call])]


def _short(error: object) -> str:
    name = f"{type(error).__name__}: " if isinstance(error, Exception) else ""
    return f"{name}{error}".replace("\n", " ")[:300]
