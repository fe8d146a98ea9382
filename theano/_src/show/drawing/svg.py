"""Pictures as self-contained SVG, for notebooks and web pages."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from html import escape
from math import hypot

from theano._src.show.drawing.layered import Point
from theano._src.show.drawing.layout import Laid, Placed, layout
from theano._src.show.drawing.picture import Picture
from theano._src.show.drawing.sheet import FONT, PAD, SMALL, Shape, Sheet, Text, text_width
from theano._src.show.drawing.theme import sheet_of

_MARGIN = 16.0
_FACE = "font-family='Helvetica Neue,Helvetica,Arial,sans-serif'"
_HIGHLIGHT = "#f59e0b"
_INK = "#1f2937"
#: the most shapes that are drawn inside others, in total
INNER = 150


def svg(
    picture: Picture,
    highlight: Collection[str] = frozenset(),
    *,
    engine: str | None = None,
    inner: int = INNER,
    fused: bool = False,
    legend: bool = True,
) -> str:
    """Return a picture as SVG.

    Each node is a group ``<g class="node ..." data-node="n3">``, each edge a group
    ``<g class="edge ..." data-source="n1" data-target="n3">``. The SVG has no ``id`` attributes,
    so one page can contain several. Ids of nodes inside nodes are joined by dots.

    Parameters
    ----------
    picture : Picture
    highlight : ids
        Nodes that are drawn with a wide border, with the class ``highlight``.
    engine : {'graphviz', 'layered'}, optional
        The layout engine; by default Graphviz if it is installed and the graph is small.
    inner : int
        The most nodes to draw inside others; 0 draws all ops closed.
    fused : bool
        Whether to open fused elementwise ops too.
    legend : bool
        Whether to explain the colours.

    >>> import theano.tensor as T
    >>> from theano._src.show.drawing.description import describe
    >>> x = T.dvector("x")
    >>> text = svg(describe(T.exp(x)))
    >>> text[:4], text.count('<g class="node'), text[-6:]
    ('<svg', 3, '</svg>')
    """
    sheet = sheet_of(picture, inner, fused)
    return svg_of_sheet(sheet, highlight, engine=engine, legend=legend)


def svg_of_sheet(
    sheet: Sheet,
    highlight: Collection[str] = frozenset(),
    *,
    engine: str | None = None,
    legend: bool = True,
) -> str:
    """Return a sheet as SVG."""
    laid = layout(sheet, engine)
    left, right, top, bottom = _reach(laid)
    shown = sheet.legend if legend else ()
    head = _head(sheet)
    body_width = right - left
    rows = list(_legend_rows(shown, max(body_width, 420.0)))
    wide = max([body_width, *(_row_width(row) for row in rows)])
    wide = max([wide, *(text_width(t.text, t.size) for t in head)])
    above = sum(t.size + 6 for t in head) + (6.0 if head else 0.0)
    below = (18.0 * len(rows) + 14.0) if rows else 0.0
    width, height = wide + 2 * _MARGIN, bottom - top + above + below + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="theano-picture" width="{_n(width)}" '
        f'height="{_n(height)}" viewBox="0 0 {_n(width)} {_n(height)}" role="img" {_FACE}>',
        f"<title>{_safe(sheet.title or 'a graph')}</title>",
        f'<rect width="{_n(width)}" height="{_n(height)}" rx="8" fill="#ffffff"/>',
    ]
    y = _MARGIN
    for text in head:
        y += text.size
        parts.append(_text(text, _MARGIN, y, "start"))
        y += 6
    dx = _MARGIN - left + (wide - body_width) / 2
    parts.append(f'<g class="graph" transform="translate({_n(dx)} {_n(_MARGIN + above - top)})">')
    parts += _graph(laid, frozenset(highlight))
    parts.append("</g>")
    parts += _legend(rows, _MARGIN, height - _MARGIN - below + 14.0)
    return "\n".join([*parts, "</svg>"])


def _head(sheet: Sheet) -> list[Text]:
    results = [Text(sheet.title, FONT + 2, _INK, True)] if sheet.title else []
    return results + ([Text(sheet.note, FONT, "#b45309")] if sheet.note else [])


def _reach(laid: Laid) -> tuple[float, float, float, float]:
    """Return the bounding box; curves may extend beyond the shapes."""
    xs = [p[0] for _, route in laid.arrows for p in route]
    ys = [p[1] for _, route in laid.arrows for p in route]
    xs += [s.x + side * s.width / 2 for s in laid.shapes for side in (-1, 1)]
    ys += [s.y + side * s.height / 2 for s in laid.shapes for side in (-1, 1)]
    return min(xs, default=0.0), max(xs, default=0.0), min(ys, default=0.0), max(ys, default=0.0)


def _graph(top: Laid, highlight: frozenset[str]) -> Iterator[str]:
    """Yield the groups of a graph and of its inner graphs, outer ones first."""
    todo: list[tuple[Laid, float, float, str]] = [(top, 0.0, 0.0, "")]
    for laid, dx, dy, path in todo:
        names = {placed.shape.id: placed.shape.of for placed in laid.shapes}
        for arrow, route in laid.arrows:
            ends = (path + names[arrow.source], path + names[arrow.target])
            moved = [(x + dx, y + dy) for x, y in route]
            yield _edge(moved, arrow.label, arrow.colour, arrow.dashed, arrow.hover, *ends)
        for placed in laid.shapes:
            me = path + placed.shape.of
            yield from _node(placed, dx, dy, me, me in highlight)
            left, high = placed.x - placed.width / 2 + dx, placed.y - placed.height / 2 + dy
            for x, y, inside in placed.inside:
                title = Text(inside.sheet.title, SMALL, "#64748b")
                yield _text(title, left + x + inside.width / 2, high + y - 7, "middle")
                todo.append((inside, left + x, high + y, f"{me}."))


def _node(placed: Placed, dx: float, dy: float, me: str, lit: bool) -> Iterator[str]:
    shape = placed.shape
    left, top = placed.x - placed.width / 2 + dx, placed.y - placed.height / 2 + dy
    known = f"{shape.classes or 'node'}{' highlight' if lit else ''}"
    yield f'<g class="{_safe(known)}" data-node="{_safe(me)}">'
    if shape.hover:
        yield f"<title>{_safe(shape.hover)}</title>"
    yield _outline(shape, left, top, placed.width, placed.height, lit, bool(placed.inside))
    if shape.heat:
        long = (placed.width - 20) * min(shape.heat, 1.0)
        yield (
            f'<rect x="{_n(left + 10)}" y="{_n(top + placed.height - 4)}" width="{_n(long)}" '
            'height="2.5" rx="1" fill="#ea580c"/>'
        )
    high = sum(t.size + 3 for t in shape.texts)
    y = top + PAD / 2 if placed.inside else placed.y + dy - high / 2
    for text in shape.texts:
        y += text.size + 3
        yield _text(text, placed.x + dx, y - 3.5, "middle")
    yield "</g>"


def _outline(
    shape: Shape, left: float, top: float, wide: float, high: float, lit: bool, is_open: bool
) -> str:
    stroke, thick = (_HIGHLIGHT, 3.5) if lit else (shape.stroke, 1.2)
    faint = ' fill-opacity="0.4"' if is_open else ""
    paint = f'fill="{_safe(shape.fill)}"{faint} stroke="{_safe(stroke)}" stroke-width="{thick}"'
    paint += ' stroke-dasharray="4 3"' if shape.dashed else ""
    if shape.form == "ellipse":
        return (
            f'<ellipse cx="{_n(left + wide / 2)}" cy="{_n(top + high / 2)}" rx="{_n(wide / 2)}" '
            f'ry="{_n(high / 2)}" {paint}/>'
        )
    round_ = 10.0 if is_open else high / 2 if shape.form == "pill" else 3.0
    return (
        f'<rect x="{_n(left)}" y="{_n(top)}" width="{_n(wide)}" height="{_n(high)}" '
        f'rx="{_n(min(round_, 16.0))}" {paint}/>'
    )


def _edge(
    route: list[Point],
    label: str,
    colour: str,
    dashed: bool,
    hover: str,
    source: str,
    target: str,
) -> str:
    (x1, y1), (x0, y0) = route[-1], route[-2]
    far = hypot(x1 - x0, y1 - y0) or 1.0
    ux, uy = (x1 - x0) / far, (y1 - y0) / far
    base = (x1 - 7 * ux, y1 - 7 * uy)
    chain = [*route[:-1], base]
    path = f"M{_xy(chain[0])}" + "".join(
        f"C{_xy(chain[i])} {_xy(chain[i + 1])} {_xy(chain[i + 2])}"
        for i in range(1, len(chain) - 2, 3)
    )
    head = (
        (x1, y1),
        (base[0] - 3.5 * uy, base[1] + 3.5 * ux),
        (base[0] + 3.5 * uy, base[1] - 3.5 * ux),
    )
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    colour = _safe(colour)
    parts = [f'<g class="edge" data-source="{_safe(source)}" data-target="{_safe(target)}">']
    if hover:
        parts.append(f"<title>{_safe(hover)}</title>")
    parts.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.3"{dash}/>')
    parts.append(f'<path d="M{"L".join(map(_xy, head))}Z" fill="{colour}"/>')
    if label:
        parts.append(_label(label, route))
    return "".join([*parts, "</g>"])


def _label(label: str, route: list[Point]) -> str:
    """Return the label of an edge, next to it and near its end; words further from the end."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = route[-4:]
    away = 15.0 if len(label) < 3 else 30.0
    x, y = x3, y3
    for k in range(1, 16):
        t, s = 1 - k / 20, k / 20
        a, b, c, d = s**3, 3 * s * s * t, 3 * s * t * t, t**3
        x, y = a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3
        if hypot(x3 - x, y3 - y) >= away:
            break
    left = x > x3 + 0.5
    return _text(
        Text(label, 8.5, "#64748b"), x + (-4 if left else 4), y + 2, "end" if left else "start"
    )


def _text(text: Text, x: float, y: float, anchor: str) -> str:
    bold = ' font-weight="600"' if text.bold else ""
    return (
        f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}" font-size="{_n(text.size)}" '
        f'fill="{text.ink}"{bold}>{_safe(text.text)}</text>'
    )


def _item_width(shape: Shape) -> float:
    return 24.0 + text_width(shape.texts[0].text, SMALL) + 16.0


def _row_width(row: list[Shape]) -> float:
    return sum(map(_item_width, row))


def _legend_rows(shapes: tuple[Shape, ...], wide: float) -> Iterator[list[Shape]]:
    row: list[Shape] = []
    for shape in shapes:
        if row and _row_width([*row, shape]) > wide:
            yield row
            row = []
        row.append(shape)
    if row:
        yield row


def _legend(rows: list[list[Shape]], left: float, y: float) -> Iterator[str]:
    if not rows:
        return
    yield '<g class="legend">'
    for row in rows:
        x = left
        for shape in row:
            if shape.form == "line":
                path = f"M{_n(x)} {_n(y + 5)}h18"
                yield f'<path d="{path}" stroke="{shape.stroke}" stroke-width="2" fill="none"/>'
            else:
                yield _outline(shape, x, y, 18.0, 10.0, False, False)
            yield _text(shape.texts[0], x + 24.0, y + 8.5, "start")
            x += _item_width(shape)
        y += 18.0
    yield "</g>"


def _n(number: float) -> str:
    return f"{number:.1f}".rstrip("0").rstrip(".")


def _xy(point: Point) -> str:
    return f"{_n(point[0])} {_n(point[1])}"


def _safe(text: str) -> str:
    """Escape text for SVG, without characters that XML does not allow."""
    if not text.isprintable():
        text = "".join(c for c in text if c >= " " or c in "\n\t")
    return escape(text)
