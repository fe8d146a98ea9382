"""Write the tables of the first pages: the state of the tests, and three measurements.

`python -m tools.status --shared ../shared` compares them with their sources, `--write` writes them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from statistics import median

from tools import conformance, names
from tools.marked import with_block

ROOT = Path(__file__).resolve().parents[1]
# the blocks of each page
PAGES = {
    ROOT / "README.md": ("beside",),
    ROOT / "docs" / "performance" / "index.md": ("beside",),
    ROOT / "docs" / "index.md": ("status",),
}
PEERS = ROOT / "docs" / "figures" / "peers.json"
LABELS = {
    "ours": "theano-xla",
    "numpy": "NumPy",
    "jax": "JAX",
    "pytensor": "PyTensor",
    "torch": "PyTorch",
}


# the table of status


def counted(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").split("\n")) - 1


def name_states(shared: Path) -> Counter[str]:
    """The number of documented names in each state."""
    listed = (shared / "spec" / "documented-names.txt").read_text(encoding="utf-8").split()
    return Counter(names.state_of(name) for name in listed)


def status(shared: Path) -> str:
    """The rows, each with the command that checks it."""
    states = name_states(shared)
    passing = counted(conformance.PASSING)
    known = len(conformance.entries(shared))
    own = counted(ROOT / "tests" / "original" / "passing.txt")
    packages = sorted((ROOT / "tests" / "downstream").glob("*.passing.txt"))
    held = sum(map(counted, packages))
    absent = states["absent"]
    rows = [
        ("documented names that are implemented", f"{states['carried']:,} of {states.total():,}; "
         f"the other {absent} raise an error with the reason and an alternative", "`make names`"),
        ("examples and statements of Theano's documentation that hold", f"{passing} of {known}",
         "`make conformance`"),
        ("tests of Theano 1.0.5 that pass", f"{own:,}", "`make original`"),
        ("tests and programs of packages written for Theano that pass",
         f"{held:,}, from {len(packages)} packages", "`make downstream`"),
    ]  # fmt: skip
    lines = ["| | | checked by |", "|---|---|---|"]
    return "\n".join(lines + [f"| {what} | {figure} | {how} |" for what, figure, how in rows])


# three measurements


def beside() -> dict[str, dict[str, float]]:
    """Return the seconds of three measurements, for each framework that has them."""
    tasks = json.loads(PEERS.read_text(encoding="utf-8"))["tasks"]
    rows = {
        "first result of a perceptron's training step": ("mlp", "cold"),
        "1,000 training steps with 200 batch sizes": ("mlp_batches", "total"),
        "one training step of a recurrent network": ("rnn", "steady"),
    }
    found: dict[str, dict[str, float]] = {}
    for title, (task, what) in rows.items():
        of_each = {who: tasks[task].get(who, {}).get(what) for who in LABELS}
        found[title] = {
            who: median(x) if isinstance(x, list) else x for who, x in of_each.items() if x
        }
    return found


def duration(seconds: float) -> str:
    """Write seconds with two digits or three, and their unit."""
    if seconds < 1:
        return f"{seconds * 1000:.2g} ms" if seconds < 0.1 else f"{seconds:.2f} s"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def table() -> str:
    machine = json.loads(PEERS.read_text(encoding="utf-8"))["machine"]
    head = "| | " + " | ".join(LABELS.values()) + " |"
    lines = [head, "|---|" + "---:|" * len(LABELS)]
    for title, times in beside().items():
        cells = [duration(times[who]) if who in times else "-" for who in LABELS]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    load = " to ".join(f"{x:.1f}" for x in sorted(machine["load"]))
    return "\n".join(lines) + (
        f"\n\nMeasured on {machine['date']} in one run on {machine['cores']} cores without a GPU "
        f"(load {load}), with empty caches; runs over a minute were stopped (-). NumPy's gradients "
        f"are written by hand and PyTorch is eager: neither compiles. {quicker()}"
    )


def quicker() -> str:
    """Count the programs in which ours is faster than each of the others, once warm."""
    tasks = json.loads(PEERS.read_text(encoding="utf-8"))["tasks"].values()
    pairs = []
    for who, label in list(LABELS.items())[1:]:
        both = [
            (median(t["ours"]["steady"]), median(t[who]["steady"]))
            for t in tasks
            if "steady" in t.get("ours", {}) and "steady" in t.get(who, {})
        ]
        pairs.append(f"{label} in {sum(a < b for a, b in both)} of {len(both)} programs")
    return f"Once warm, theano-xla is faster than {', '.join(pairs)}."


# pages


def wanted(shared: Path) -> dict[Path, str]:
    """Return the text that each page should have."""
    blocks = {"status": status(shared), "beside": table()}
    texts = {}
    for page, names_of_blocks in PAGES.items():
        text = page.read_text(encoding="utf-8")
        for name in names_of_blocks:
            text = with_block(text, name, blocks[name])
        texts[page] = text
    return texts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if not (options.shared / "spec" / "documented-names.txt").exists():
        print(f"status: {options.shared}/spec is absent, so nothing was checked")
        return 0
    stale = []
    for path, text in wanted(options.shared).items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.relative_to(ROOT))
            if options.write:
                path.write_text(text, encoding="utf-8")
    for path in stale:
        print(f"{path}: {'written' if options.write else 'stale; python -m tools.status --write'}")
    return int(bool(stale) and not options.write)


if __name__ == "__main__":
    sys.exit(main())
