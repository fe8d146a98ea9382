"""The records of proofs: tests/rules/proofs has a file for each kind of evidence."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

from theano._src.rewrite.rule import Rule
from theano._src.rules.pipeline import RULES

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "rules" / "proofs"
#: how many cases a rule about matrices needs
CASES = 100_000


def equations(only: str = "") -> list[Any]:
    return [r for r in RULES.values() if isinstance(r, Rule) and only in r.name]


def functions(only: str = "") -> list[Any]:
    return [r for r in RULES.values() if not isinstance(r, Rule) and only in r.name]


def claim_of(rule: Any) -> str:
    """Return the text of a rule's claim: evidence for another text is none."""
    return f"{rule.lhs!r} = {rule.rhs!r}" if isinstance(rule, Rule) else rule.equation


def load(kind: str) -> dict[str, Any]:
    """Return the record of a kind of evidence, by name of the rule."""
    path = FOLDER / f"{kind}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def save(kind: str, seen: dict[str, Any]) -> None:
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{kind}.json"
    part = path.with_suffix(f".{os.getpid()}")
    part.write_text(_text(dict(sorted(seen.items()))), encoding="utf-8")
    part.replace(path)


def _text(seen: dict[str, Any]) -> str:
    """A line for each rule, so that a change is seen as a change of its line."""
    lines = (f"{json.dumps(k)}: {json.dumps(v, default=list)}" for k, v in seen.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def entry_of(seen: dict[str, Any], rule: Any) -> dict[str, Any]:
    """Return the entry of a rule, which is empty for a rule that is new or has changed."""
    entry = seen.get(rule.name)
    if entry is None or entry["claim"] != claim_of(rule):
        entry = seen[rule.name] = {"claim": claim_of(rule)}
    return entry


def cases_of(seen: dict[str, Any], rule: Any) -> int:
    """Return on how many cases a rule was tried."""
    return int(entry_of(seen, rule).get("seen", {}).get("cases", 0))


def when() -> dict[str, str]:
    return {"date": str(date.today()), "versions": versions()}


def versions() -> str:
    import jax
    import numpy as np
    import scipy

    return (
        f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}, "
        f"SciPy {scipy.__version__}, jax {jax.__version__}"
    )


def unknown(seen: Iterable[str]) -> list[str]:
    """Return names of rules that are in a record and are none."""
    return [name for name in seen if name not in RULES]
