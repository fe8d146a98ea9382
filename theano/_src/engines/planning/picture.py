"""Bars of memory and time as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

_FACE = "font-family='Helvetica Neue,Helvetica,Arial,sans-serif'"
_INK, _QUIET, _LINE = "#1f2937", "#6b7280", "#b91c1c"
_COLOURS = ("#93c5fd", "#a7f3d0", "#fde68a", "#ddd6fe")
_LEFT, _WIDE, _ROW, _HIGH, _RIGHT = 190, 420, 46, 20, 110


class Part(NamedTuple):
    """A part of a bar: its name, its length, and the length as text."""

    name: str
    value: float
    text: str


class Bar(NamedTuple):
    """A row of parts; bars with a limit have a scale of their own, others share one."""

    title: str
    parts: Sequence[Part]
    limit: float = 0.0
    limit_text: str = ""


def bars(title: str, rows: Sequence[Bar]) -> str:
    """Return bars as SVG.

    >>> text = bars("v5e", [Bar("memory", [Part("state", 2.0, "2 GB")], 4.0, "4 GB")])
    >>> text[:4], text[-6:], "2 GB" in text
    ('<svg', '</svg>', True)
    """
    height = 40 + _ROW * len(rows)
    width = _LEFT + _WIDE + _RIGHT
    lines = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' "
        f"viewBox='0 0 {width} {height}' role='img' {_FACE}>",
        f"<title>{escape(title)}</title>",
        f"<rect width='{width}' height='{height}' fill='#ffffff'/>",
        _text(12, 22, title, 13, _INK),
    ]
    shared = max((_length(row) for row in rows if not row.limit), default=0.0)
    for k, row in enumerate(rows):
        top = 36 + _ROW * k
        scale = max(row.limit, _length(row)) if row.limit else shared
        lines.append(_text(12, top + 15, row.title, 12, _INK))
        at = float(_LEFT)
        for number, part in enumerate(row.parts):
            wide = _WIDE * part.value / scale if scale else 0.0
            fill = _COLOURS[number % len(_COLOURS)]
            lines.append(
                f"<rect x='{at:.1f}' y='{top}' width='{max(wide, 1.0):.1f}' height='{_HIGH}' "
                f"fill='{fill}'><title>{escape(part.name)}: {escape(part.text)}</title></rect>"
            )
            at += wide
        shown = (f"{part.name} {part.text}" if row.parts[1:] else part.text for part in row.parts)
        lines.append(_text(_LEFT, top + _HIGH + 13, "   ".join(shown), 11, _QUIET))
        if row.limit:
            x = _LEFT + _WIDE * row.limit / scale
            lines.append(
                f"<line x1='{x:.1f}' y1='{top - 3}' x2='{x:.1f}' y2='{top + _HIGH + 3}' "
                f"stroke='{_LINE}' stroke-width='2'/>"
            )
            lines.append(_text(x + 6, top + 15, row.limit_text, 11, _LINE))
    return "\n".join([*lines, "</svg>"])


def _length(row: Bar) -> float:
    return sum(part.value for part in row.parts)


def _text(x: float, y: float, text: str, size: int, fill: str) -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' fill='{fill}'>{escape(text)}</text>"
