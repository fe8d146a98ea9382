"""Writes what the first page says of itself, from the lists that the tests hold.

`python -m tools.status --shared ../shared` compares, `--write` writes: the table of status, the
three figures beside others with their chart, each from the file that has it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from math import log
from pathlib import Path
from statistics import median

from tools import conformance, names
from tools.marked import with_block

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", ROOT / "docs" / "index.md")
PEERS = ROOT / "docs" / "figures" / "peers.json"
CHART = ROOT / "docs" / "figures" / "beside.svg"
LABELS = {"ours": "theano-xla", "jax": "JAX", "pytensor": "PyTensor", "torch": "PyTorch"}
COLOURS = {"ours": "#e4572e", "jax": "#76818f", "pytensor": "#9aa5b1", "torch": "#c3cad2"}


# the table of status


def counted(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").split("\n")) - 1


def name_states(shared: Path) -> Counter[str]:
    """How many documented names there are, by whether they are carried."""
    listed = (shared / "spec" / "documented-names.txt").read_text(encoding="utf-8").split()
    return Counter(names.state_of(name) for name in listed)


def status(shared: Path) -> str:
    """The rows, each with what makes them."""
    states = name_states(shared)
    passing = counted(conformance.PASSING)
    known = len(conformance.entries(shared))
    own = counted(ROOT / "tests" / "original" / "passing.txt")
    packages = sorted((ROOT / "tests" / "downstream").glob("*.passing.txt"))
    held = sum(map(counted, packages))
    absent = states["absent"]
    rows = [
        ("documented names that are carried", f"{states['carried']:,} of {states.total():,}; "
         f"{absent} say why they are not, and what to use", "`make names`"),
        ("examples and statements of the documents that hold", f"{passing} of {known}",
         "`make conformance`"),
        ("tests of Theano 1.0.5 itself that pass here", f"{own:,}", "`make original`"),
        ("tests and programs of packages written for Theano that pass here",
         f"{held:,} of {len(packages)} packages", "`make downstream`"),
    ]  # fmt: skip
    lines = ["| | | held by |", "|---|---|---|"]
    return "\n".join(lines + [f"| {what} | {figure} | {how} |" for what, figure, how in rows])


# three figures beside others


def beside() -> dict[str, dict[str, float]]:
    """Seconds of three things, for each framework that was measured."""
    tasks = json.loads(PEERS.read_text(encoding="utf-8"))["tasks"]
    rows = {
        "first result of a training step (perceptron)": ("mlp", "cold"),
        "1,000 training steps with 200 batch sizes": ("mlp_batches", "total"),
        "a training step of a recurrent network": ("rnn", "steady"),
    }
    found: dict[str, dict[str, float]] = {}
    for title, (task, what) in rows.items():
        of_each = {who: tasks[task].get(who, {}).get(what) for who in LABELS}
        found[title] = {
            who: median(x) if isinstance(x, list) else x for who, x in of_each.items() if x
        }
    return found


def duration(seconds: float) -> str:
    """Seconds as people write them, two digits."""
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
        f"\n\nMeasured on {machine['date']} in one run, {machine['cores']} cores, load {load}, "
        "no GPU, nothing on disk before; PyTorch is eager; what took more than a minute was given "
        f"up. {quicker()}"
    )


def quicker() -> str:
    """How many programs ours runs in less time than each of the others, once all have settled."""
    tasks = json.loads(PEERS.read_text(encoding="utf-8"))["tasks"].values()
    pairs = []
    for who, label in list(LABELS.items())[1:]:
        both = [
            (median(t["ours"]["steady"]), median(t[who]["steady"]))
            for t in tasks
            if "steady" in t.get("ours", {}) and "steady" in t.get(who, {})
        ]
        pairs.append(f"{sum(a < b for a, b in both)} of {len(both)} programs beside {label}")
    return f"In the long run ours is quicker in {', '.join(pairs)}."


def chart() -> str:
    """The same as bars, on a scale of powers of ten."""
    panels = []
    for k, (title, times) in enumerate(beside().items()):
        x0, low, high = 300 * k, min(times.values()) / 2, max(times.values())
        panels.append(f'<text class="t" x="{x0 + 10}" y="24">{title}</text>')
        for i, (who, label) in enumerate(LABELS.items()):
            y = 44 + 30 * i
            panels.append(f'<text x="{x0 + 80}" y="{y + 15}" class="e">{label}</text>')
            if who not in times:
                panels.append(f'<text x="{x0 + 90}" y="{y + 15}">given up</text>')
                continue
            width = 130 * _share(times[who], low, high)
            panels.append(
                f'<rect x="{x0 + 88}" y="{y}" width="{width:.1f}" height="20" rx="2" '
                f'fill="{COLOURS[who]}"/>'
                f'<text x="{x0 + 94 + width:.1f}" y="{y + 15}">{duration(times[who])}</text>'
            )
    style = (
        "text{font:12px sans-serif;fill:#333}.t{font:bold 11.5px sans-serif}.e{text-anchor:end}"
        ".n{font:11px sans-serif;fill:#666}"
    )
    words = "seconds on a scale of powers of ten; shorter is better"
    panels.append(f'<text class="n" x="10" y="184">{words}</text>')
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 196" width="900" height="196">'
        f'<style>{style}</style><rect width="900" height="196" fill="#fff"/>'
        f"{''.join(panels)}</svg>\n"
    )


def _share(x: float, low: float, high: float) -> float:
    return log(x / low) / log(high / low)


# pages


def wanted(shared: Path) -> dict[Path, str]:
    """What each file should say."""
    blocks = {"status": status(shared), "beside": table()}
    found = {CHART: chart()}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for name, block in blocks.items():
            text = with_block(text, name, block)
        found[page] = text
    return found


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
