"""The lists in `tests/hardware`: what compiles for which chips, and why the rest does not."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "hardware"

#: the chips of the lists; one of each is enough to compile for
CHIPS = {"v5e": "v5e:1x1", "h100": "h100:1x1", "a100": "a100:1x1"}
#: eight of each, for programs on a mesh
SEVERAL = {"v5e": "v5e:2x4", "h100": "h100:1x8", "a100": "a100:1x8"}


def compiling(chip: str, folder: Path = FOLDER) -> set[str]:
    """What compiles for a chip."""
    path = folder / f"{chip}.txt"
    return set(path.read_text(encoding="utf-8").splitlines()) if path.exists() else set()


def write(chip: str, names: Iterable[str], folder: Path = FOLDER) -> None:
    """Add to what compiles for a chip; nothing is taken away."""
    lines = sorted(compiling(chip, folder) | set(names))
    (folder / f"{chip}.txt").write_text("".join(f"{n}\n" for n in lines), encoding="utf-8")


class Reason(NamedTuple):
    """Why some items do not compile: names with `*`, on some chips."""

    chips: tuple[str, ...]
    items: tuple[str, ...]
    reason: str


def reasons(folder: Path = FOLDER) -> list[Reason]:
    """The `[[group]]` tables of `reasons.toml`."""
    tables = tomllib.loads((folder / "reasons.toml").read_text(encoding="utf-8"))
    return [
        Reason(tuple(g["chips"]), tuple(g["items"]), g["reason"]) for g in tables.get("group", [])
    ]


def reason_for(chip: str, name: str, among: Iterable[Reason]) -> str | None:
    """Why an item does not compile for a chip, if a group says it."""
    for group in among:
        if chip in group.chips and any(fnmatchcase(name, item) for item in group.items):
            return group.reason
    return None
