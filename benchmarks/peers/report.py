"""What was found, as Markdown tables and as a plot; written between two marks of a page."""

import json
import math
import statistics
from html import escape
from pathlib import Path

from envs import FRAMEWORKS
from tasks import BY_NAME, REASONS

BEGIN, END = "<!-- bench-peers: begin -->", "<!-- bench-peers: end -->"
AIM = 1.05
COLOURS = {
    "ours": "#000000",
    "jax": "#1f77b4",
    "pytensor": "#d62728",
    "pytensor-c": "#ff9896",
    "torch": "#2ca02c",
    "torch-compile": "#98df8a",
    "casadi": "#ff7f0e",
    "casadi-buffers": "#ffbb78",
    "theano-1.0.5": "#8c564b",
    "numpy": "#9467bd",
}


def quartiles(values: list[float]) -> tuple[float, float, float]:
    if len(values) < 2:
        return (values[0],) * 3
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high


def spoken(seconds: float) -> str:
    """Three digits and a unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if seconds >= size or unit == "ns":
            number = seconds / size
            digits = 0 if number >= 100 else 1 if number >= 10 else 2
            return f"{number:.{digits}f} {unit}"
    raise AssertionError


def ratios(rows: dict, name: str, kind: str = "steady") -> tuple[float, float, float] | None:
    """Ours over theirs, round by round: the median and its quartiles."""
    ours, theirs = rows.get("ours", {}).get(kind), rows.get(name, {}).get(kind)
    if not ours or not theirs:
        return None
    return quartiles([a / b for a, b in zip(ours, theirs, strict=False)])


def as_text(ratio: float) -> str:
    """A ratio to two decimals, or to three below a tenth."""
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.3f}"


def table(heads: list[str], lines: list[list[str]]) -> str:
    rule = ["---"] + ["---:"] * (len(heads) - 1)
    return "\n".join("| " + " | ".join(line) + " |" for line in [heads, rule, *lines])


class Report:
    def __init__(self, found: dict) -> None:
        self.found = found
        self.there = [f for f in FRAMEWORKS if f.name in found["imports"]]
        self.peers = [f for f in self.there if f.name != "ours"]
        self.notes: list[str] = []

    def rows(self, *kinds: str):
        for name, rows in self.found["tasks"].items():
            if BY_NAME[name].kind in kinds:
                yield BY_NAME[name], rows

    def columns(self, kind: str) -> list:
        """The frameworks that are measured in some row of this kind."""
        only = {name for task, _ in self.rows(kind) for name in task.only}
        return [f for f in self.there if f.name in only]

    def cell(self, task, framework, rows: dict, give) -> str:
        """A figure, or a mark with the reason in a note, or nothing where nothing was asked."""
        row = rows.get(framework.name, {})
        if framework.name not in task.only or not row:
            return ""
        if "missing" not in row:
            return give(row)
        note = f"{framework.title}, {task.title}: {row['missing']}."
        if note not in self.notes:
            self.notes.append(note)
        return f"none ({self.notes.index(note) + 1})"

    def times(self, kind: str) -> str:
        def give(row):
            low, middle, high = quartiles(row["steady"])
            engine = f", {row['engine']}" if "engine" in row else ""
            engine += " so far" if row.get("unsettled") else ""
            return f"{spoken(middle)} ± {50 * (high - low) / middle:.0f}%{engine}"

        return self._table(kind, give)

    def compared(self, kind: str) -> str:
        lines = []
        peers = [f for f in self.columns(kind) if f in self.peers]
        for task, rows in self.rows(kind):
            line = [task.title]
            for framework in peers:
                if (found := ratios(rows, framework.name)) is None:
                    line.append("")
                    continue
                low, middle, high = map(as_text, found)
                mark = "**" if found[1] > AIM else ""
                line.append(f"{mark}{middle}{mark} ({low}..{high})")
            lines.append(line)
        return table(["theano-xla / other", *(f.title for f in peers)], lines)

    def firsts(self, kind: str) -> str:
        def give(row):
            cold = spoken(statistics.median(row["cold"]))
            if "warm" not in row:
                return cold
            return f"{cold}, {spoken(statistics.median(row['warm']))}"

        imports = ["`import`"]
        for framework in self.columns(kind):
            imports.append(spoken(statistics.median(self.found["imports"][framework.name])))
        return self._table(kind, give, before=[imports])

    def sequences(self) -> str:
        def give(row):
            longest = spoken(row["longest"])
            return f"{spoken(row['total'])}, {longest}, {row['peak MB']:.0f} MB"

        return self._table("sequence", give)

    def _table(self, kind: str, give, before=()) -> str:
        frameworks, lines = self.columns(kind), list(before)
        for task, rows in self.rows(kind):
            lines.append([task.title, *(self.cell(task, f, rows, give) for f in frameworks)])
        return table(["", *(f.title for f in frameworks)], lines)

    def behind(self) -> str:
        """The rows in which a peer is ahead, the farthest first, with the reason if it is known."""
        found = []
        for task, rows in self.rows("long", "short"):
            for framework in self.peers:
                ratio = ratios(rows, framework.name)
                if ratio and ratio[1] > AIM:
                    why = REASONS.get((framework.name, task.name), "(to be measured)")
                    if rows["ours"].get("unsettled"):
                        why = "theano-xla had not settled on an engine"
                    found.append((ratio[1], [framework.title, task.title, f"{ratio[1]:.2f}", why]))
        if not found:
            return f"No framework is more than {AIM} times as fast."
        lines = [line for _, line in sorted(found, key=lambda f: -f[0])]
        heads = ["faster", "program", "theano-xla / other", "why"]
        return (
            f"Programs in which another framework is more than {AIM} times as fast:\n\n"
            f"{table(heads, lines)}"
        )

    def machine(self) -> str:
        machine = self.found["machine"]
        versions: dict[str, str] = {}
        for framework in self.there:
            for name, version in self.found["versions"][framework.name].items():
                if versions.setdefault(name, version) != version:
                    versions[f"{name} ({framework.title})"] = version
        told = ", ".join(f"{name} {version}" for name, version in versions.items())
        before, after = machine["load"]
        quick = (
            " A quick run: 8 sizes and 300 nodes in place of 200 and 3,000."
            if machine["quick"]
            else ""
        )
        busy = " The machine was busy: figures are rough." if before > machine["cores"] / 2 else ""
        absent = "".join(f" {k}: {v}." for k, v in self.found["absent"].items())
        return (
            f"{machine['date']}; {machine['processor']}, {machine['cores']} cores, load {before} "
            f"before and {after} after, {machine['minutes']} minutes; Python {machine['python']}, "
            f"{machine['compiler']}; {told}.{busy}{quick}{absent}"
        )

    def markdown(self) -> str:
        # short arrays first, as in TASKS
        kinds = [kind for kind in ("short", "long") if any(self.rows(kind))]
        parts = [
            self.machine(),
            "Time of one call once warm: the median ± half the interquartile range, and the "
            "engine that theano-xla chose ('so far' if it had not settled after twelve seconds).",
            *map(self.times, kinds),
            "Time of theano-xla divided by that of the other framework, round by round: the median "
            f"with its quartiles. Below 1 theano-xla is faster; figures above {AIM} are bold.",
            *map(self.compared, kinds),
            self.behind(),
            "First result in a new process, not counting the import: with empty caches and, for "
            "frameworks that cache compiled code by default, with those of an earlier process.",
            *map(self.firsts, kinds),
        ]
        if any(self.rows("sequence")):
            parts += [
                "Calls with many sizes, from building the function to the last call: total time, "
                "longest call, peak memory of the process.",
                self.sequences(),
            ]
        if self.notes:
            parts.append("\n".join(f"{k}. {note}" for k, note in enumerate(self.notes, 1)))
        return "\n\n".join(parts)


def printed(found: dict) -> str:
    return Report(found).markdown()


def plot(found: dict) -> str:
    """Steady times as multiples of those of theano-xla, on a logarithmic axis: an SVG picture."""
    report = Report(found)
    rows = [(t, r) for t, r in report.rows("short", "long") if r.get("ours", {}).get("steady")]
    left, top, step, width = 330, 50, 26, 560
    # what lies beyond stands at the edge
    ticks = 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000

    def across(ratio: float) -> float:
        return left + width * (math.log(ratio) - math.log(ticks[0])) / (
            math.log(ticks[-1]) - math.log(ticks[0])
        )

    height = top + step * len(rows) + 40
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 30} {height}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    bottom = top + step * len(rows)
    for tick in ticks:
        x = across(tick)
        colour, label = ("#000", "1") if tick == 1 else ("#ddd", f"{tick:g}")
        out.append(f'<path d="M{x:.1f} {top}V{bottom}" stroke="{colour}"/>')
        out.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{label}</text>')
    note = "time of a call as a multiple of that of theano-xla; right of 1 theano-xla is faster"
    middle = across(1)
    out.append(f'<text x="{middle:.1f}" y="{bottom + 34}" text-anchor="middle">{note}</text>')
    for k, framework in enumerate(report.peers):
        x = 40 + k * min(140, (left + width - 60) / len(report.peers))
        out.append(f'<circle cx="{x:.1f}" cy="20" r="5" fill="{COLOURS[framework.name]}"/>')
        out.append(f'<text x="{x + 9:.1f}" y="24" font-size="11">{framework.title}</text>')
    for k, (task, row) in enumerate(rows):
        y = top + step * (k + 0.5)
        title = escape(task.title.replace("`", ""))
        out.append(
            f'<text x="{left - 10}" y="{y + 4}" text-anchor="end" font-size="11">{title}</text>'
        )
        for framework in report.peers:
            if (found_ratio := ratios(row, framework.name)) is None:
                continue
            low, mid, high = (min(max(1 / r, ticks[0]), ticks[-1]) for r in found_ratio)
            colour = COLOURS[framework.name]
            out.append(
                f'<path d="M{across(high):.1f} {y}H{across(low):.1f}" stroke="{colour}" '
                f'stroke-width="2"/><circle cx="{across(mid):.1f}" cy="{y}" r="5" fill="{colour}"/>'
            )
    return "\n".join([*out, "</svg>"]) + "\n"


def write_section(found: dict, docs: Path) -> None:
    """Put the tables between the marks of the page, and the plot and the figures beside it."""
    page = docs / "performance" / "peers.md"
    text = page.read_text()
    if BEGIN not in text or END not in text:
        raise ValueError(
            f"{page} takes the tables between {BEGIN} and {END}, and has no such marks"
        )
    before, rest = text.split(BEGIN, 1)
    _, after = rest.split(END, 1)
    figures = docs / "figures"
    figures.mkdir(exist_ok=True)
    (figures / "peers.svg").write_text(plot(found))
    (figures / "peers.json").write_text(json.dumps(_rounded(found), indent=1) + "\n")
    picture = (
        "![For each program, the time of a call in each framework as a multiple of the time in "
        "theano-xla](../figures/peers.svg)"
    )
    body = f"{BEGIN}\n\n{printed(found)}\n\n{picture}\n\n{END}"
    page.write_text(before + body + after)


def _rounded(value):
    """Figures of four digits: what was measured is no finer."""
    match value:
        case dict():
            return {k: _rounded(v) for k, v in value.items()}
        case list():
            return [_rounded(v) for v in value]
        case float():
            return float(f"{value:.4g}")
    return value
