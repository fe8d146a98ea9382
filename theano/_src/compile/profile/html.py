"""A profile as a table for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from theano._src.compile.profile.node_rows import Row, total
from theano._src.compile.profile.tables import in_bytes
from theano._src.engines.choice.report import in_units
from theano._src.show import html

_HEAD = ("time", "", "", "runs", "a run", "on", "makes", "node", "line")
#: width in pixels of the bar for all of the time
_WIDE = 80


def as_html(title: str, figures: Sequence[tuple[str, str]], rows: Sequence[Row], n: int) -> str:
    """Return the totals of a profile and its slowest nodes as HTML."""
    whole = total(rows)
    lines = []
    for row in rows[:n]:
        share = row.seconds / whole if whole else 0.0
        bar = html.Html(f'<span class="bar" style="width:{_WIDE * share:.0f}px"></span>')
        name = row.op_name if len(row.op_name) < 60 else row.op_name[:59] + "…"
        full = html.Html(f'<span title="{html.text(row.name)}">{html.code(name)}</span>')
        times = [f"{100 * share:.1f} %", bar, in_units(row.seconds), row.calls]
        lines.append(
            [*times, in_units(row.per_call), row.kind, in_bytes(row.bytes), full, row.line]
        )
    text = ", ".join(f"{name} {value}" for name, value in figures)
    head = html.Html(html.tag("b", title) + html.tag("span", f" {text}", cls="quiet"))
    return html.card(head, html.table(lines, _HEAD))
