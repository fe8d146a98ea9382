"""Pictures in DOT, the language of Graphviz."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import hypot

from theano._src.show.drawing.layout import Laid
from theano._src.show.drawing.picture import Picture
from theano._src.show.drawing.sheet import FONT, Arrow, Shape, Sheet
from theano._src.show.drawing.theme import sheet_of


def dot(picture: Picture, inner: int = 0, fused: bool = False) -> str:
    """Return a picture as a graph in DOT, with graphs inside ops as clusters.

    Parameters
    ----------
    picture : Picture
    inner : int
        The most nodes to draw inside others; 0 draws all ops closed.
    fused : bool
        Whether to open fused elementwise ops too.

    >>> import theano.tensor as T
    >>> from theano._src.show.drawing.description import describe
    >>> print(dot(describe(T.exp(T.dscalar("x")))))
    digraph {
    ...
    "n1" -> "n2" [color="#94a3b8"]
    "n2" -> "n3" [color="#94a3b8"]
    }
    """
    return dot_of_sheet(sheet_of(picture, inner, fused))


def dot_of_sheet(sheet: Sheet, clusters: Mapping[str, Sequence[str]] | None = None) -> str:
    """Return a sheet as a graph in DOT.

    Parameters
    ----------
    sheet : Sheet
    clusters : mapping from names to ids of shapes, optional
        Shapes to surround with a border.
    """
    lines = ["digraph {", 'graph [fontname="Helvetica"]', 'node [fontname="Helvetica"]']
    lines.append('edge [fontname="Helvetica", fontsize=10]')
    if sheet.note:
        lines.append(f"graph [label={_quoted(sheet.note)}, labelloc=t]")
    lines += _body(sheet)
    for name, members in (clusters or {}).items():
        inside = " ".join(map(_quoted, members))
        lines.append(f"subgraph {_quoted(f'cluster_{name}')} {{ label={_quoted(name)} {inside} }}")
    return "\n".join([*lines, "}"])


def dot_with_places(laid: Laid) -> str:
    """Return a laid out sheet in DOT with positions, for Graphviz to draw."""
    lines = ["digraph {", 'graph [fontname="Helvetica"]', 'node [fontname="Helvetica"]']
    lines.append('edge [fontname="Helvetica", fontsize=10]')
    if laid.sheet.note:
        lines.append(f"graph [label={_quoted(laid.sheet.note)}, labelloc=t]")
    for placed in laid.shapes:
        # DOT measures sizes in inches, and y upwards
        size = f"width={placed.width / 72:.3f}, height={placed.height / 72:.3f}, fixedsize=true"
        at = f'pos="{placed.x:.1f},{-placed.y:.1f}", {size}, fontsize={FONT:.0f}'
        lines.append(f"{_quoted(placed.shape.id)} [{_shape(placed.shape)}, {at}]")
    for arrow, route in laid.arrows:
        (x0, y0), (x1, y1) = route[-2:]
        far = hypot(x1 - x0, y1 - y0) or 1.0
        base = (x1 - 9 * (x1 - x0) / far, y1 - 9 * (y1 - y0) / far)
        curve = " ".join(f"{x:.1f},{-y:.1f}" for x, y in [*route[:-1], base])
        at = f'pos="e,{x1:.1f},{-y1:.1f} {curve}"'
        ends = f"{_quoted(arrow.source)} -> {_quoted(arrow.target)}"
        lines.append(f"{ends} [color={_quoted(arrow.colour)}, {at}]")
    return "\n".join([*lines, "}"])


def _body(top: Sheet) -> list[str]:
    """Return the lines of a sheet, followed by the sheets inside its shapes as clusters."""
    lines: list[str] = []
    # sheets still to be written, and the closing lines of clusters
    todo: list[tuple[Sheet, str, str] | str] = [(top, "", "")]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            lines.append(item)
            continue
        sheet, path, head = item
        if head:
            lines.append(head)
        for shape in sheet.shapes:
            lines.append(f"{_quoted(path + shape.id)} [{_shape(shape)}]")
        for arrow in sheet.arrows:
            ends = f"{_quoted(path + arrow.source)} -> {_quoted(path + arrow.target)}"
            lines.append(f"{ends} [{_arrow(arrow)}]")
        for shape in sheet.shapes:
            for k, inside in enumerate(shape.inner):
                name = f"{path}{shape.id}.{k}"
                title = f"{shape.texts[0].text}: {inside.title}" if inside.title else ""
                label = f"label={_quoted(title)} color={_quoted(shape.stroke)}"
                head = f"subgraph {_quoted(f'cluster_{name}')} {{ {label}"
                todo += ["}", (inside, f"{name}.", head)]
    return lines


def _shape(shape: Shape) -> str:
    form = "ellipse" if shape.form == "ellipse" else "box"
    styles = ["filled"] * (shape.fill != "none") + ["rounded"] * (shape.form == "pill")
    styles += ["dashed"] * shape.dashed
    result = {"label": "\n".join(t.text for t in shape.texts), "shape": form}
    result |= {"style": ",".join(styles)} if styles else {}
    result |= {"fillcolor": shape.fill} if shape.fill != "none" else {}
    result |= {"color": shape.stroke}
    ink = shape.texts[0].ink if shape.texts else "#1f2937"
    result |= {"fontcolor": ink} if ink != "#1f2937" else {}
    result |= {"tooltip": shape.hover} if shape.hover else {}
    return ", ".join(f"{name}={_quoted(value)}" for name, value in result.items())


def _arrow(arrow: Arrow) -> str:
    result = {"label": arrow.label} if arrow.label else {}
    result |= {"color": arrow.colour}
    result |= {"style": "dashed"} if arrow.dashed else {}
    result |= {"constraint": "false"} if not arrow.ranks else {}
    return ", ".join(f"{name}={_quoted(value)}" for name, value in result.items())


def _quoted(text: str) -> str:
    """Return a DOT string; a backslash would start an escape, and NUL would end the file."""
    safe = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + "".join(c for c in safe if c >= " ") + '"'
