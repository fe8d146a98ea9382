"""Equations on floats: a share of the numbers of each, and all numbers of one after another."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from theano._src.testing.proofs.floats import BITS, Sides, Sweep, inputs_of, numbers
from tools.proofs.record import entry_of, save, versions, when

#: a part of a sweep are the numbers whose bits have the same remainder: a million of float32
PARTS = {"float32": 4096, "float16": 1}
#: pairs of numbers for equations of two variables: those of a part, and the parts
PAIRS, PAIR_PARTS = 1 << 20, 96
SWEEPS = (("float32", "numpy"), ("float32", "xla"), ("float16", "numpy"))
#: where all numbers are tried, a block of them follow each other
BLOCK = 1 << 22
BLOCKS = BITS["float32"][1] // BLOCK
LINKERS = ("numpy", "xla")


def row_of(seen: dict[str, Any], rule: Any, dtype: str, linker: str) -> dict[str, Any]:
    """Return what was seen, with nothing in it for an equation that is new or has changed."""
    sweeps = entry_of(seen, rule).setdefault("sweeps", {})
    row: dict[str, Any] = sweeps.setdefault(f"{dtype} {linker}", {"parts": 0})
    return row


def parts_of(rule: Any, dtype: str) -> int:
    return PARTS[dtype] if len(rule.lhs.holes()) == 1 else PAIR_PARTS


def is_done(seen: dict[str, Any], rule: Any) -> bool:
    return all(row_of(seen, rule, *s)["parts"] == parts_of(rule, s[0]) for s in SWEEPS)


# a share of the numbers


def sweep_parts(seen: dict[str, Any], rules: list[Any], seconds: float) -> None:
    """Try parts in turn, of each rule as many, until the time is over."""
    until = saved = time.monotonic()
    until += seconds
    for rule, dtype, linker, sides in _turns(seen, rules):
        record_part(seen, rule, dtype, linker, sides)
        if time.monotonic() - saved > 20:
            save("floats", seen)
            saved = time.monotonic()
        if time.monotonic() > until:
            break
    save("floats", seen)


def _turns(seen: dict[str, Any], rules: list[Any]) -> Iterator[tuple[Any, str, str, Any]]:
    """Yield what is to be tried next, and its compiled sides."""
    compiled: dict[Any, Any] = {}
    left = True
    while left:
        left = False
        for rule in rules:
            for dtype, linker in SWEEPS:
                if row_of(seen, rule, dtype, linker)["parts"] == parts_of(rule, dtype):
                    continue
                left = True
                key = rule.name, dtype, linker
                if key not in compiled:
                    compiled[key] = Sides([rule], dtype, [linker])
                yield rule, dtype, linker, compiled[key]


def record_part(seen: dict[str, Any], rule: Any, dtype: str, linker: str, sides: Sides) -> None:
    row = row_of(seen, rule, dtype, linker)
    part = row["parts"]
    result = Sweep(**row["seen"]) if part else Sweep()
    start = part  # the seed of pairs, the remainder of bits
    for inputs in inputs_of(rule, dtype, start, None, PARTS[dtype], PAIRS):
        result.merge(sides.sweep(*inputs)[rule.name, linker])
    row.update(parts=part + 1, seen=asdict(result), **when())


# all numbers


def exhaust(seen: dict[str, Any], rules: list[Any], seconds: float) -> None:
    """Try all float32 of equations of one variable, one lot of equations after another.

    A lot has one right side, so that its reference is computed once. The quickest lots are first.
    Lots that were begun, with the same versions of packages, are continued.
    """
    until = time.monotonic() + seconds
    for lot in lots(seen, rules):
        names = ", ".join(r.name for r in lot)
        begun = time.monotonic()
        if not _exhaust_lot(seen, lot, until):
            print(f"time is over in {names}", flush=True)
            return
        print(f"{names}: {time.monotonic() - begun:.0f} s", flush=True)


def lots(seen: dict[str, Any], rules: list[Any]) -> list[list[Any]]:
    """Return equations that are not done, with equal right sides together, quickest first."""
    together: dict[Any, list[Any]] = defaultdict(list)
    for rule in rules:
        if len(rule.lhs.holes()) == 1 and not is_done(seen, rule):
            blocks, _ = _running(seen, rule)
            shares = isinstance(rule.rhs, type(rule.lhs))
            together[repr(rule.rhs) if shares else rule.name, blocks].append(rule)
    return sorted(together.values(), key=lambda lot: (-_running(seen, lot[0])[0], _cost(lot)))


def _cost(lot: list[Any]) -> float:
    """Return the time for each rule of a lot, on a few numbers."""
    sides = Sides(lot, "float32", LINKERS)
    inputs = list(numbers("float32", 12345, step=BITS["float32"][1] >> 18))
    sides.sweep(inputs[0])
    started = time.process_time()
    for x in inputs:
        sides.sweep(x)
    return (time.process_time() - started) / len(lot)


def _running(seen: dict[str, Any], rule: Any) -> tuple[int, dict[str, Sweep]]:
    """Return how many blocks were tried, and what was seen on each engine."""
    running = entry_of(seen, rule).get("running")
    if running is None or running["versions"] != versions():
        return 0, {k: Sweep() for k in LINKERS}
    return running["blocks"], {k: Sweep(**running[k]) for k in LINKERS}


def _exhaust_lot(seen: dict[str, Any], lot: list[Any], until: float) -> bool:
    sides = Sides(lot, "float32", LINKERS)
    blocks = _running(seen, lot[0])[0]
    results = {(r.name, k): s for r in lot for k, s in _running(seen, r)[1].items()}
    saved = time.monotonic()
    while blocks < BLOCKS and time.monotonic() < until:
        for x in numbers("float32", blocks * BLOCK, (blocks + 1) * BLOCK):
            for key, one in sides.sweep(x, seen=results).items():
                results[key].merge(one)
        blocks += 1
        if time.monotonic() - saved > 20:
            _keep(seen, lot, blocks, results)
            saved = time.monotonic()
    _keep(seen, lot, blocks, results)
    return blocks == BLOCKS


def _keep(seen: dict[str, Any], lot: list[Any], blocks: int, results: dict[str, Any]) -> None:
    for rule in lot:
        entry = entry_of(seen, rule)
        shown = {k: asdict(results[rule.name, k]) for k in LINKERS}
        entry["running"] = {"blocks": blocks, "versions": versions(), **shown}
        if blocks == BLOCKS:
            del entry["running"]
            for linker in LINKERS:
                row = row_of(seen, rule, "float32", linker)
                row.update(parts=PARTS["float32"], seen=shown[linker], **when())
    save("floats", seen)


# what is wrong


def broken(seen: dict[str, Any], rules: list[Any]) -> Iterator[str]:
    """Yield a line for each sweep in which an equation lost numbers or digits."""
    for rule in rules:
        entry = entry_of(seen, rule)
        rows = {n: r["seen"] for n, r in entry.get("sweeps", {}).items() if r["parts"]}
        rows |= {k: v for k, v in entry.get("running", {}).items() if k in LINKERS}
        for name, row in rows.items():
            # counted by the room that the rule had then
            result = replace(Sweep(**row), worse=int(row["most"] > rule.ulp))
            if not result.holds:
                yield f"{rule.name}, {name}: {result}"
