"""A profile as a table for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from theano._src.compile.profiles.node_rows import Row, total
from theano._src.compile.profiles.tables import in_bytes
from theano._src.engines.choice_report import in_units

_LEFT = ' style="text-align: left"'


def as_html(title: str, figures: Sequence[tuple[str, str]], rows: Sequence[Row], n: int) -> str:
    """The totals of a profile, and its longest nodes."""
    whole = total(rows)
    head = ", ".join(f"{name} {value}" for name, value in figures)
    titles = ["time", "", "runs", "a run", "on", "makes", "node", "line"]
    lines = [f"<p><b>{escape(title)}</b>: {escape(head)}</p>", "<table>"]
    lines.append("<tr>" + "".join(f"<th>{t}</th>" for t in titles) + "</tr>")
    for row in rows[:n]:
        share = 100 * row.seconds / whole if whole else 0.0
        cells = [f"{share:.1f} %", in_units(row.seconds), str(row.calls), in_units(row.per_call)]
        cells += [row.kind, in_bytes(row.bytes)]
        name = row.op_name if len(row.op_name) < 60 else row.op_name[:59] + "…"
        lines.append(
            "<tr>"
            + "".join(f"<td>{escape(c)}</td>" for c in cells)
            + f'<td{_LEFT} title="{escape(row.name)}">{escape(name)}</td>'
            + f"<td{_LEFT}>{escape(row.line)}</td></tr>"
        )
    return "\n".join([*lines, "</table>"])
