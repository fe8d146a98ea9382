"""What is proved of the rules, and tried on floats.

`python -m tools.proofs` proves all equations, with `--functions` also what rules that are functions
do to their examples, for lengths up to 3 (minutes). `--sweep MINUTES` tries equations on more
numbers of float32 and float16, and keeps what it saw in tests/rules/proofs.json: it goes on where
the last run ended, so that all numbers are tried in the end. A run tries the same share of the
numbers of each equation, spread evenly; `--only TEXT` takes rules with this text in their names.
`--write` puts the tables into docs/internals/proofs.md.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import Any

from tools.marked import with_block

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "internals" / "proofs.md"
SEEN = ROOT / "tests" / "rules" / "proofs.json"
#: a part of a sweep are the numbers whose bits have the same remainder: a million of float32
PARTS = {"float32": 4096, "float16": 1}
#: pairs of numbers for equations of two variables: those of a part, and the parts
PAIRS, PAIR_PARTS = 1 << 20, 96
SWEEPS = (("float32", "numpy"), ("float32", "xla"), ("float16", "numpy"))


def equations() -> list[Any]:
    from theano._src.rewrite.rule import Rule
    from theano._src.rules.pipeline import RULES

    return [r for r in RULES.values() if isinstance(r, Rule)]


def functions() -> list[Any]:
    from theano._src.rules.pipeline import RULES

    known = equations()
    return [r for r in RULES.values() if r not in known]


def equation_text(rule: Any) -> str:
    return f"{rule.lhs!r} = {rule.rhs!r}"


def load() -> dict[str, Any]:
    return json.loads(SEEN.read_text(encoding="utf-8")) if SEEN.exists() else {}


def save(seen: dict[str, Any]) -> None:
    text = json.dumps(dict(sorted(seen.items())), indent=1, default=list)
    SEEN.write_text(text + "\n", encoding="utf-8")


def versions() -> str:
    import jax
    import numpy as np

    return f"{platform.machine()}, NumPy {np.__version__}, jax {jax.__version__}"


# sweeps


def parts_of(rule: Any, dtype: str) -> int:
    return PARTS[dtype] if len(rule.lhs.holes()) == 1 else PAIR_PARTS


def sweep_parts(seen: dict[str, Any], rules: list[Any], seconds: float) -> None:
    """Try parts in turn, of each rule as many, until the time is over."""
    until = time.monotonic() + seconds
    saved = time.monotonic()
    for rule, dtype, linker, sides in _turns(seen, rules):
        record_part(seen, rule, dtype, linker, sides)
        if time.monotonic() - saved > 20:
            save(seen)
            saved = time.monotonic()
        if time.monotonic() > until:
            break
    save(seen)


def _turns(seen: dict[str, Any], rules: list[Any]) -> Iterator[tuple[Any, str, str, Any]]:
    """Yield what is to be tried next, and its compiled sides."""
    from theano._src.testing.proofs.floats import Sides

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
                    compiled[key] = Sides(rule, dtype, linker, rule.ulp)
                yield rule, dtype, linker, compiled[key]


def row_of(seen: dict[str, Any], rule: Any, dtype: str, linker: str) -> dict[str, Any]:
    """What was seen, with nothing in it for an equation that is new or has changed."""
    text = equation_text(rule)
    entry = seen.get(rule.name)
    if entry is None or entry["equation"] != text:
        entry = seen[rule.name] = {"equation": text, "sweeps": {}}
    row: dict[str, Any] = entry["sweeps"].setdefault(f"{dtype} {linker}", {"parts": 0})
    return row


def record_part(seen: dict[str, Any], rule: Any, dtype: str, linker: str, sides: Any) -> None:
    from theano._src.testing.proofs.floats import Sweep, numbers, pairs

    row = row_of(seen, rule, dtype, linker)
    part = row["parts"]
    result = Sweep(**row["seen"]) if part else Sweep()
    if len(rule.lhs.holes()) == 1:
        inputs: Any = ((x,) for x in numbers(dtype, part, step=PARTS[dtype]))
    else:
        inputs = pairs(dtype, PAIRS, seed=part)
    for one in inputs:
        result.merge(sides.sweep(*one))
    row.update(parts=part + 1, seen=asdict(result), date=str(date.today()), versions=versions())


# the page


def proof_cell(proof: Any) -> str:
    text = f"{proof.outcome} ({proof.reading})"
    return text if proof.domain == "the same" else f"{text}; {proof.domain}, at {proof.where}"


def sweep_cell(row: dict[str, Any] | None, parts: int) -> str:
    """How many numbers were tried, and the largest errors of the left and the right side."""
    from theano._src.testing.proofs.floats import Sweep

    if not row or not row["parts"]:
        return ""
    seen = Sweep(**row["seen"])
    count = "all" if row["parts"] == parts else f"{seen.count / 1e6:,.0f} M"
    text = f"{count}: {units(seen.old)} → {units(seen.new)}"
    if seen.most > 0:
        text += f", at most +{units(seen.most)}"
    return text if not seen.missing else f"{text}, {seen.missing:,} lost"


def units(error: float) -> str:
    return f"{error:.1f}" if error < 1000 else f"{error:.0e}"


def equation_rows(seen: dict[str, Any]) -> list[str]:
    from theano.testing import prove

    lines = [
        "| rule | equation | over the numbers | float32, NumPy | float32, XLA | float16 | room |",
        "|---|---|---|---|---|---|---:|",
    ]
    for rule in equations():
        cells = [f"`{rule.name}`", f"`{equation_text(rule)}`", proof_cell(prove(rule))]
        for dtype, linker in SWEEPS:
            row = seen.get(rule.name, {}).get("sweeps", {}).get(f"{dtype} {linker}")
            cells.append(sweep_cell(row, parts_of(rule, dtype)))
        lines.append(f"| {' | '.join([*cells, f'{rule.ulp:g}'])} |")
    return lines


def function_rows(seen: dict[str, Any]) -> list[str]:
    lines = ["| rule | claim | how it is shown |", "|---|---|---|"]
    for rule in functions():
        claim = rule.equation.replace("|", "\\|")
        lines.append(f"| `{rule.name}` | {claim} | {shown(seen.get(rule.name))} |")
    return lines


def shown(entry: dict[str, Any] | None) -> str:
    if entry is None or entry["outcome"] != "proved":
        return "tested on an example and by random programs"
    text = f"proved for {entry['cases']} assignments"
    if entry["errors"]:
        text += f"; the graph raises for {entry['errors']}"
    return f"{text}; without elements {entry['empty']}" if entry["empty"] else text


def record_functions(seen: dict[str, Any], rules: list[Any]) -> None:
    """Prove rules on their examples."""
    for rule in rules:
        seen[rule.name] = {"equation": rule.equation, **asdict(bounded(rule))}


def bounded(rule: Any) -> Any:
    from tests.rules.examples import example_of
    from theano._src.testing.proofs.bounded import prove_on

    return prove_on(rule, *example_of(rule), most=60, seconds=2)


def page_with(text: str, seen: dict[str, Any]) -> str:
    text = with_block(text, "equations", "\n".join(equation_rows(seen)))
    return with_block(text, "functions", "\n".join(function_rows(seen)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sweep", type=float, metavar="MINUTES", default=0.0)
    parser.add_argument("--only", default="", help="rules with this text in their names")
    parser.add_argument("--functions", action="store_true", help="prove functions on examples")
    parser.add_argument("--write", action="store_true", help="write the tables into the page")
    chosen = parser.parse_args()
    from theano.testing import prove

    rules = [r for r in equations() if chosen.only in r.name]
    proofs = [prove(r) for r in rules]
    print(f"{sum(map(bool, proofs))} of {len(proofs)} equations are proved")
    seen = load()
    if chosen.sweep:
        sweep_parts(seen, rules, 60 * chosen.sweep)
    if chosen.functions:
        named = [r for r in functions() if chosen.only in r.name]
        record_functions(seen, named)
        save(seen)
        count = sum(seen[r.name]["outcome"] == "proved" for r in named)
        print(f"{count} of {len(named)} functions are proved on their examples")
    wrong = [str(p) for p in proofs if not p] + list(broken(seen, rules))
    if chosen.write:
        PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8"), seen), encoding="utf-8")
    print("\n".join(wrong))
    sys.exit(bool(wrong))


def broken(seen: dict[str, Any], rules: list[Any]) -> Iterator[str]:
    """Yield a line for each sweep in which an equation lost numbers or digits."""
    from theano._src.testing.proofs.floats import Sweep

    for rule in rules:
        for name, row in seen.get(rule.name, {}).get("sweeps", {}).items():
            result = Sweep(**row["seen"]) if row["parts"] else Sweep()
            # counted by the room that the rule had then
            result = replace(result, worse=int(result.most > rule.ulp))
            if not result.holds:
                yield f"{rule.name}, {name}: {result}"


if __name__ == "__main__":
    main()
