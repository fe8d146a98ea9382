"""Draw the time of a profile as an icicle graph of the user's lines, in SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from zlib import crc32

from theano._src.compile.profile.node_rows import NO_LINE, Row, short, total
from theano._src.engines.choice.report import in_units

#: height of a bar; width of a letter of 11 pixels; least width of a bar that is drawn
_HEIGHT, _LETTER, _LEAST = 22, 6.6, 0.6
_MARGIN = 12
#: hues of frames and of ops, in degrees
_LINES, _OPS = (195, 240), (15, 55)


class _Bar:
    """A line or an op, with the bars below it."""

    def __init__(self, name: str, full: str, is_op: bool) -> None:
        self.name, self.full, self.is_op = name, full, is_op
        self.seconds = 0.0
        self.calls = 0
        self.below: dict[str, _Bar] = {}

    def child(self, name: str, full: str, is_op: bool = False) -> _Bar:
        return self.below.setdefault(full, _Bar(name, full, is_op))


def flame(rows: Sequence[Row], title: str, width: int = 960) -> str:
    """Return an SVG of time by line: callers above callees, ops at the bottom, width is time.

    It has no scripts and loads nothing; each bar has a tooltip with details.
    """
    root = _tree(rows)
    whole = root.seconds
    bars: list[str] = []
    depth = _draw(root, whole, width, bars)
    height = 2 * _MARGIN + 20 + (depth + 1) * _HEIGHT
    subtitle = "width: time; blue: lines, callers above what they call; orange: ops"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">\n'
        f"<title>{escape(title)}</title>\n"
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n'
        f'<text x="{_MARGIN}" y="{_MARGIN + 8}" font-size="13" font-weight="bold">'
        f"{escape(title)}</text>\n"
        f'<text x="{width - _MARGIN}" y="{_MARGIN + 8}" text-anchor="end" fill="#666666">'
        f"{subtitle}</text>\n"
    )
    return head + "\n".join(bars) + "\n</svg>\n"


def _tree(rows: Sequence[Row]) -> _Bar:
    root = _Bar("all", "all", False)
    root.seconds = total(rows)
    skip = _common(rows)
    for row in rows:
        at = root
        frames = row.frames[skip:] or row.frames[-1:]
        if not frames:
            at = at.child(NO_LINE, NO_LINE)
            at.seconds += row.seconds
        for file, number, function, text in frames:
            where = f"{short(file)}:{number}"
            full = f"{where} in {function}" + (f"\n{text}" if text else "")
            at = at.child(f"{where}  {text}" if text else where, full)
            at.seconds += row.seconds
        leaf = at.child(row.op_name, row.op_name, is_op=True)
        leaf.seconds += row.seconds
        leaf.calls += row.calls
    return root


def _common(rows: Sequence[Row]) -> int:
    """The number of outermost frames that all rows share; they only show who runs the program."""
    stacks = [row.frames for row in rows if row.frames]
    if not stacks:
        return 0
    n = 0
    while all(len(s) > n + 1 for s in stacks) and len({s[n][:2] for s in stacks}) == 1:
        n += 1
    return n


def _draw(root: _Bar, whole: float, width: int, bars: list[str]) -> int:
    """Draw the bars, and return the depth."""
    scale = (width - 2 * _MARGIN) / whole if whole else 0.0
    deepest = 0
    waiting = [(root, float(_MARGIN), 0)]
    while waiting:
        bar, x, depth = waiting.pop()
        w = bar.seconds * scale
        if w < _LEAST:
            continue
        deepest = max(deepest, depth)
        bars.append(_rect(bar, x, 2 * _MARGIN + 8 + depth * _HEIGHT, w, whole))
        for child in sorted(bar.below.values(), key=lambda b: -b.seconds):
            waiting.append((child, x, depth + 1))
            x += child.seconds * scale
    return deepest


def _rect(bar: _Bar, x: float, y: float, w: float, whole: float) -> str:
    share = 100 * bar.seconds / whole if whole else 0.0
    times = f", {bar.calls} runs" if bar.is_op else ""
    message = escape(f"{bar.full}\n{share:.1f} %, {in_units(bar.seconds)}{times}")
    fits = int((w - 6) / _LETTER)
    label = f"{bar.name}  {share:.1f} %" if fits > len(bar.name) + 8 else bar.name
    if len(label) > fits:
        label = label[: max(0, fits - 1)] + "…" if fits > 3 else ""
    text = (
        f'<text x="{x + 4:.1f}" y="{y + 15:.0f}" xml:space="preserve">{escape(label)}</text>'
        if label
        else ""
    )
    return (
        f'<g><title>{message}</title><rect x="{x:.2f}" y="{y:.0f}" width="{w:.2f}" '
        f'height="{_HEIGHT - 2}" rx="2" fill="{_colour(bar)}" stroke="#ffffff"/>{text}</g>'
    )


def _colour(bar: _Bar) -> str:
    if bar.full == "all":
        return "#dddddd"
    low, high = _OPS if bar.is_op else _LINES
    # a name has the same colour in all pictures
    hue = low + crc32(bar.full.encode()) % (high - low)
    return f"hsl({hue}, {75 if bar.is_op else 55}%, {78 if bar.is_op else 82}%)"
