"""Colours and labels of pictures: the shape that is drawn for each node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from theano._src.show.drawing.families import shortened
from theano._src.show.drawing.picture import Picture, PictureEdge, PictureNode
from theano._src.show.drawing.sheet import SMALL, Arrow, Shape, Sheet, Text

# fmt: off
#: fill, border and legend; pale versions of the documented colours of pydotprint
KIND_COLOURS = {
    "input":    ("#dcfce7", "#16a34a", "input"),
    "shared":   ("#cffafe", "#0891b2", "shared variable"),
    "constant": ("#ffffff", "#cbd5e1", "constant"),
    "variable": ("#ffffff", "#94a3b8", "variable"),
    "output":   ("#dbeafe", "#2563eb", "output"),
    "update":   ("#dbeafe", "#0891b2", "new value of a shared variable"),
    "unused":   ("#e5e7eb", "#9ca3af", "not used"),
    "more":     ("#ffffff", "#cbd5e1", "not drawn"),
}
FAMILY_COLOURS = {
    "elementwise": ("#ffe4e9", "#e8909f", "elementwise"),
    "fused":       ("#fbcfd8", "#d9667d", "fused elementwise"),
    "loop":        ("#fef9c3", "#d6b406", "scan"),
    "condition":   ("#fae8ff", "#c45fdc", "condition"),
    "function":    ("#ecfccb", "#84b325", "op from a graph"),
    "reduction":   ("#ffedd5", "#ea9a4f", "reduction"),
    "shape":       ("#f3eee7", "#bda98c", "shape"),
    "indexing":    ("#ede9fe", "#a08fe0", "indexing"),
    "product":     ("#e0e7ff", "#7c8ff0", "linear algebra"),
    "network":     ("#ccfbf1", "#3fb5a4", "network op"),
    "random":      ("#e0f2fe", "#5ab0e0", "random numbers"),
    "transfer":    ("#fee2e2", "#ef4444", "transfer"),
    "other":       ("#f1f5f9", "#94a3b8", "other op"),
}
EDGE_COLOURS = {
    "use":     ("#94a3b8", ""),
    "view":    ("#5b8def", "view of that input"),
    "destroy": ("#e0575b", "overwrites that input"),
    "update":  ("#0891b2", "stored"),
}
# fmt: on
#: a leaf with more uses than this has a separate box for each use
_USES = 4
_QUIET = "#64748b"


def sheet_of(picture: Picture, inner: int = 0, fused: bool = False) -> Sheet:
    """Return the sheet of a picture.

    Parameters
    ----------
    picture : Picture
    inner : int
        The most shapes to draw inside others; beyond that, ops stay closed.
    fused : bool
        Whether to open fused elementwise ops too.
    """
    result: dict[int, Sheet] = {}
    order = _inside_first(picture, inner, fused)
    for each in order:
        result[id(each)] = _sheet(each, result)
    return replace(result[id(picture)], legend=tuple(_legend(order)))


def _inside_first(picture: Picture, budget: int, fused: bool) -> list[Picture]:
    """Return the picture and those to draw inside it, inner ones first."""
    result = {id(picture): picture}
    queue = [picture]
    for each in queue:
        for node in each.nodes:
            # all graphs of a node or none: half of a condition would mislead
            cost = sum(len(inner.nodes) for inner in node.inner)
            if node.inner and cost <= budget and (fused or node.family != "fused"):
                budget -= cost
                queue += [p for p in node.inner if id(p) not in result]
                result |= {id(p): p for p in node.inner}
    return queue[::-1]


def _sheet(picture: Picture, result: dict[int, Sheet]) -> Sheet:
    uses = Counter(e.source for e in picture.edges if e.kind != "update")
    written = {e.target for e in picture.edges if e.kind == "update"}
    leaves = {n.id for n in picture.nodes if n.kind in ("constant", "input", "shared")}
    repeated = {n.id for n in picture.nodes if n.kind == "constant" and uses[n.id] > 1}
    repeated |= {i for i in leaves - written if uses[i] > _USES}
    nodes = {n.id: n for n in picture.nodes}
    incoming: dict[str, list[PictureEdge]] = {}
    for edge in picture.edges:
        incoming.setdefault(edge.target, []).append(edge)
    shapes: list[Shape] = []
    arrows: list[Arrow] = []
    for node in picture.nodes:
        if node.id in repeated:
            continue
        for edge in incoming.get(node.id, ()):
            source = edge.source
            if source in repeated:
                source = f"{source}-{edge.target}-{edge.input}"
                shapes.append(_shape(nodes[edge.source], source, ()))
            if edge.kind != "update":
                arrows.append(_arrow(edge, source))
        inner = tuple(result[id(p)] for p in node.inner if id(p) in result)
        shapes.append(_shape(node, node.id, inner))
    return Sheet(picture.title, tuple(shapes), tuple(arrows), picture.note)


def _shape(node: PictureNode, id: str, inner: tuple[Sheet, ...]) -> Shape:
    fill, stroke, _ = colours(node)
    ink = _QUIET if node.kind in ("constant", "more", "unused") else "#1f2937"
    texts = [Text(node.label, ink=ink, bold=node.kind in ("input", "shared"))]
    if node.family == "fused" and node.label != node.text:
        texts.append(Text(formula_of(node), SMALL))
    if node.name and node.kind == "apply":
        texts.append(Text(f"= {node.name}", SMALL, "#1f2937", True))
    under = "" if node.kind in ("constant", "more") else type_line(node)
    if under and not (node.kind == "output" and not node.name):
        texts.append(Text(under, SMALL, _QUIET))
    if node.seconds is not None:
        texts.append(Text(time_line(node), SMALL, "#9a3412"))
    form = "pill" if node.kind == "apply" else "box"
    known = f"node {node.kind}" + f" {node.family}" * bool(node.family)
    dashed = node.kind in ("update", "more", "unused")
    words = (form, fill, stroke, dashed, hover_of(node), known, node.share)
    return Shape(id, node.id, tuple(texts), *words, inner)


def colours(node: PictureNode) -> tuple[str, str, str]:
    """Return the fill, border and legend text for a node."""
    return FAMILY_COLOURS[node.family] if node.kind == "apply" else KIND_COLOURS[node.kind]


def _arrow(edge: PictureEdge, source: str) -> Arrow:
    colour, _ = EDGE_COLOURS[edge.kind]
    hover = f"{edge.name}: {edge.type}" if edge.name else edge.type
    known = f"edge {edge.kind}"
    return Arrow(source, edge.target, edge.label, colour, False, hover, known)


def formula_of(node: PictureNode, longest: int = 40) -> str:
    """Return the formula of a fused op in its inputs ``i0``, ``i1``, ..., without wrapping.

    >>> formula_of(PictureNode("n1", "apply", "fused", "Elemwise{Composite{(i0 * i1)}}[(0, 0)]"))
    'i0 * i1'
    """
    inside = node.text.split("Composite{", 1)[-1].rsplit("}}", 1)[0]
    if inside.startswith("(") and inside.endswith(")") and _closes_last(inside):
        inside = inside[1:-1]
    return shortened(inside.replace("scalar_", ""), longest)


def _closes_last(text: str) -> bool:
    """Whether the first bracket of a text is closed by its last character."""
    depth = 0
    for k, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return k == len(text) - 1
    return False


def type_line(node: PictureNode) -> str:
    """Return dtype and lengths: ``float64 (· × 10)``, with a dot for an unknown length.

    >>> type_line(PictureNode("n1", "input", "x", dtype="float64", shape=(None, 10)))
    'float64 (· × 10)'
    """
    if not node.shape:
        return node.dtype
    lengths = " × ".join("·" if n is None else str(n) for n in node.shape)
    return f"{node.dtype} ({lengths})"


def time_line(node: PictureNode) -> str:
    """Return the time of an op: ``1.2 ms, 34 %``."""
    seconds = node.seconds or 0.0
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or unit == "µs":
            break
    share = "" if node.share is None else f", {100 * node.share:.0f} %"
    return f"{seconds / size:.3g} {unit}{share}"


def hover_of(node: PictureNode) -> str:
    """Return all properties of a node, one per line."""
    lines = [node.text or node.label]
    lines += [f"name: {node.name}"] * bool(node.name)
    lines += [f"type: {node.type}"] * bool(node.type)
    if node.shape and any(n is not None for n in node.shape):
        lines.append(f"shape: {' × '.join('·' if n is None else str(n) for n in node.shape)}")
    lines += [] if node.position is None else [f"order: {node.position}"]
    lines += [] if node.seconds is None else [f"time: {time_line(node)}"]
    lines += [f"made at {node.line}: {node.source}".rstrip(": ")] * bool(node.line)
    lines += [f"rewritten from: {node.rewritten_from}"] * bool(node.rewritten_from)
    return "\n".join(lines)


def _legend(pictures: Sequence[Picture]) -> list[Shape]:
    result: dict[str, Shape] = {}
    for node in (n for p in pictures for n in p.nodes):
        key = node.family if node.kind == "apply" else node.kind
        if key not in result:
            fill, stroke, text = colours(node)
            form = "pill" if node.kind == "apply" else "box"
            dashed = node.kind in ("update", "more", "unused")
            result[key] = Shape(key, key, (Text(text, SMALL),), form, fill, stroke, dashed)
    for edge in (e for p in pictures for e in p.edges):
        colour, text = EDGE_COLOURS[edge.kind]
        if edge.kind in ("view", "destroy") and edge.kind not in result:
            line = Shape(edge.kind, edge.kind, (Text(text, SMALL),), "line", "none", colour)
            result[edge.kind] = line
    order = dict.fromkeys([*KIND_COLOURS, *FAMILY_COLOURS, *EDGE_COLOURS])
    return [result[key] for key in order if key in result]
