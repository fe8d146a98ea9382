"""Pictures as one HTML file with its own script: pan, zoom, search, open inner graphs."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from theano._src.show.drawing.json_form import pictures_in
from theano._src.show.drawing.layout import Laid, layout
from theano._src.show.drawing.picture import Picture, PictureNode
from theano._src.show.drawing.theme import hover_of, sheet_of

# forbids the browser to load anything, whatever the page contains
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def html(picture: Picture, *, engine: str | None = None) -> str:
    """Return a picture as a page that needs nothing but a browser.

    The page can be moved and zoomed, nodes can be dragged, and ops with inner graphs open and
    close. A field searches labels, types and lines; tooltips show the properties of nodes.

    Parameters
    ----------
    picture : Picture
    engine : {'graphviz', 'layered'}, optional
        The layout engine; by default Graphviz if it is installed, the graph is small and no op
        can be opened: an opened op needs room between layers.

    >>> import theano.tensor as T
    >>> from theano._src.show.drawing.description import describe
    >>> page = html(describe(T.exp(T.dscalar("x")), title="exp"))
    >>> page[:15], "<title>exp</title>" in page
    ('<!doctype html>', True)
    """
    title = escape(picture.title or "a graph")
    # "<" would end the element that holds the data
    data = json.dumps(viewer_data(picture, engine), separators=(",", ":")).replace("<", "\\u003c")
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title>",
            f"<style>\n{_part('viewer.css')}</style></head><body>",
            f'<script type="application/json" id="data">{data}</script>',
            f"<script>\n{_part('viewer.js')}</script>",
            "</body></html>\n",
        ]
    )


@cache
def _part(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def viewer_data(picture: Picture, engine: str | None = None) -> dict[str, Any]:
    """Return the data for the script: for each graph the placed shapes, with all ops closed."""
    pictures = pictures_in(picture)
    number = {id(p): k for k, p in enumerate(pictures)}
    if engine is None and len(pictures) > 1:
        engine = "layered"
    sheets = [sheet_of(p) for p in pictures]
    nodes = [{n.id: n for n in p.nodes} for p in pictures]
    # for all graphs, since any may be opened
    legend = {s.of: s for sheet in sheets for s in sheet.legend}
    return {
        "title": picture.title,
        "note": picture.note,
        "graphs": [
            _graph(layout(sheet, engine), nodes[k], number) for k, sheet in enumerate(sheets)
        ],
        "legend": [[s.form, s.fill, s.stroke, s.texts[0].text] for s in legend.values()],
    }


def _graph(laid: Laid, nodes: dict[str, PictureNode], number: dict[int, int]) -> dict[str, Any]:
    shapes = []
    for placed in laid.shapes:
        shape, node = placed.shape, nodes[placed.shape.of]
        result: dict[str, Any] = {
            "id": shape.id,
            "of": shape.of,
            "at": [_r(placed.x), _r(placed.y), _r(placed.width), _r(placed.height)],
            "form": shape.form,
            "fill": shape.fill,
            "stroke": shape.stroke,
            "texts": [[t.text, t.size, t.ink, int(t.bold)] for t in shape.texts],
            "info": hover_of(node),
            "kind": node.kind,
        }
        result |= {"dashed": 1} if shape.dashed else {}
        result |= {"heat": round(shape.heat, 4)} if shape.heat else {}
        if node.inner:
            result["inner"] = [number[id(p)] for p in node.inner]
        shapes.append(result)
    order = {placed.shape.id: k for k, placed in enumerate(laid.shapes)}
    arrows = [
        {
            "from": order[arrow.source],
            "to": order[arrow.target],
            "label": arrow.label,
            "colour": arrow.colour,
            "info": arrow.hover,
            "route": [_r(c) for point in route for c in point],
        }
        for arrow, route in laid.arrows
    ]
    title = laid.sheet.title
    return {
        "title": title,
        "note": laid.sheet.note,
        "size": [_r(laid.width), _r(laid.height)],
        "shapes": shapes,
        "arrows": arrows,
    }


def _r(number: float) -> float:
    return round(number, 1)
