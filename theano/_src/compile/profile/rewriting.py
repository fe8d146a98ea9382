"""The profile of rewriting: the time of each pass and rule, and how often it made a change."""

from __future__ import annotations

from collections.abc import Sequence

from theano._src.rewrite.passes import Report


def rewriting_table(reports: Sequence[Report], n: int = 20) -> list[str]:
    """Return the lines of the section for ``config.profile_optimizer``."""
    if not reports:
        return []
    seconds = sum(r.seconds for r in reports)
    before, after = sum(r.nodes_before for r in reports), sum(r.nodes_after for r in reports)
    lines = [
        "Optimizer Profile",
        "-----------------",
        f"  time {seconds:.3f}s for {before}/{after} nodes before/after optimization",
        "",
        "Passes",
        "---",
        "<% time> <sum %> <time> <#change> <pass>",
    ]
    passes: dict[str, list[float]] = {}
    for report in reports:
        for name, took in report.passes.items():
            known = passes.setdefault(name, [0.0, 0])
            known[0] += took
            known[1] += report.changes.get(name, 0)
    lines += _ranked([(name, took, k) for name, (took, k) in passes.items()], n, "passes")
    rules: dict[str, list[float]] = {}
    for report in reports:
        for name, took in report.rule_seconds.items():
            rules.setdefault(name, [0.0, 0])[0] += took
        for name, k in report.uses.items():
            rules.setdefault(name, [0.0, 0])[1] += k
    lines += ["", "Rules", "---", "<% time> <sum %> <time> <#change> <rule>"]
    lines += _ranked([(name, took, k) for name, (took, k) in rules.items()], n, "rules")
    return [*lines, ""]


def _ranked(rows: list[tuple[str, float, float]], n: int, what: str) -> list[str]:
    rows.sort(key=lambda each: (-each[1], -each[2], each[0]))
    whole, so_far = sum(took for _, took, _ in rows), 0.0
    lines = []
    for name, took, count in rows[:n]:
        so_far += took
        share, both = (100 * t / whole if whole else 0.0 for t in (took, so_far))
        lines.append(f"{share:6.1f}%  {both:6.1f}%  {took:10.6f}s  {int(count):>7}   {name}")
    rest = sum(took for _, took, _ in rows[n:])
    share = 100 * rest / whole if whole else 0.0
    lines.append(
        f"   ... (remaining {len(rows[n:])} {what} account for {share:6.2f}%({rest:.2f}s) "
        "of the time)"
    )
    return lines
