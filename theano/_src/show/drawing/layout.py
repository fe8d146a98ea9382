"""Layout of a sheet and of the graphs inside its shapes, with Graphviz or without."""

from __future__ import annotations

from dataclasses import dataclass

from theano._src.show.drawing import graphviz
from theano._src.show.drawing.layered import Placement, Point, layered
from theano._src.show.drawing.sheet import FONT, LINE, PAD, Arrow, Shape, Sheet, text_width

#: the most shapes and arrows for Graphviz; beyond, it may take minutes
_FOR_GRAPHVIZ = 1200
_TITLE = FONT + 8.0


@dataclass(slots=True)
class Placed:
    """A placed shape; ``inside`` are the sheets in it, each with the position of its corner."""

    shape: Shape
    x: float  # of the centre
    y: float
    width: float
    height: float
    inside: tuple[tuple[float, float, Laid], ...] = ()


@dataclass(slots=True)
class Laid:
    """A sheet with all its shapes and arrows placed."""

    sheet: Sheet
    shapes: list[Placed]
    arrows: list[tuple[Arrow, list[Point]]]
    width: float
    height: float
    by: str


def layout(sheet: Sheet, engine: str | None = None) -> Laid:
    """Place the shapes of a sheet, and the shapes inside them.

    Parameters
    ----------
    sheet : Sheet
    engine : {'graphviz', 'layered'}, optional
        By default Graphviz if it is installed and the graph is not large.
    """
    if engine not in (None, "graphviz", "layered"):
        raise ValueError(f"layout takes 'graphviz', 'layered' or None as engine, got {engine!r}")
    result: dict[int, Laid] = {}
    order = [sheet]
    for each in order:
        order += [inner for shape in each.shapes for inner in shape.inner]
    for each in reversed(order):
        if id(each) not in result:
            result[id(each)] = _laid(each, result, engine)
    return result[id(sheet)]


def _laid(sheet: Sheet, result: dict[int, Laid], engine: str | None) -> Laid:
    shapes = [_sized(shape, result) for shape in sheet.shapes]
    number = {shape.id: i for i, shape in enumerate(sheet.shapes)}
    edges = [(number[a.source], number[a.target]) for a in sheet.arrows]
    ranked = [k for k, a in enumerate(sheet.arrows) if a.ranks]
    sizes = [(s.width, s.height) for s in shapes]
    place, by = _place(sizes, [edges[k] for k in ranked], engine)
    for shape, (x, y) in zip(shapes, place.centres):
        shape.x, shape.y = x, y
    routes = dict(zip(ranked, place.routes))
    arrows = []
    for k, arrow in enumerate(sheet.arrows):
        route = routes.get(k)
        if route is None:
            route = _beside(*(shapes[i] for i in edges[k]))
        arrows.append((arrow, route))
    return Laid(sheet, shapes, arrows, place.width, place.height, by)


def is_large(sheet: Sheet) -> bool:
    """Whether a sheet is too large for Graphviz to lay out in a few seconds."""
    return len(sheet.shapes) + len(sheet.arrows) > _FOR_GRAPHVIZ


def _place(
    sizes: list[Point], edges: list[tuple[int, int]], engine: str | None
) -> tuple[Placement, str]:
    small = len(sizes) + len(edges) <= _FOR_GRAPHVIZ
    if engine == "graphviz" or (engine is None and small and graphviz.program() is not None):
        result = graphviz.placed(sizes, edges)
        if result is not None:
            return result, "graphviz"
    return layered(sizes, edges), "layered"


def _beside(source: Placed, target: Placed) -> list[Point]:
    """Return the route of an arrow that does not affect the layers: around the right side."""
    x0, x1 = source.x + source.width / 2, target.x + target.width / 2
    out = max(x0, x1) + 40.0
    return [(x0, source.y), (out, source.y), (out, target.y), (x1, target.y)]


def _sized(shape: Shape, result: dict[int, Laid]) -> Placed:
    wide, high = shape.size()
    if not shape.inner:
        return Placed(shape, 0.0, 0.0, wide, high)
    inside = []
    across, below = PAD, high
    for sheet in shape.inner:
        laid = result[id(sheet)]
        need = max(laid.width, text_width(sheet.title, FONT))
        inside.append((across + (need - laid.width) / 2, high + _TITLE, laid))
        across += need + 2 * PAD
        below = max(below, high + _TITLE + laid.height)
    wide = max(wide, across - PAD)
    return Placed(shape, 0.0, 0.0, wide + PAD, below + LINE, tuple(inside))
