"""draw: a picture of a graph in any supported format."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from theano._src.ground.documented import documented_in
from theano._src.show.drawing import graphviz
from theano._src.show.drawing.description import LIMIT, describe
from theano._src.show.drawing.dot import dot, dot_with_places
from theano._src.show.drawing.html_form import html
from theano._src.show.drawing.json_form import to_json
from theano._src.show.drawing.layout import is_large, layout
from theano._src.show.drawing.picture import Picture
from theano._src.show.drawing.svg import INNER, svg
from theano._src.show.drawing.theme import sheet_of


@documented_in("theano.printing")
def draw(
    graph: Any,
    outfile: Any = None,
    format: str | None = None,
    *,
    title: str | None = None,
    inner: int = INNER,
    fused: bool = False,
    limit: int = LIMIT,
    times: Mapping[Any, float] | None = None,
    shapes: Mapping[Any, Any] | None = None,
) -> Any:
    """Draw a graph as SVG, as an interactive page, as JSON or DOT, or in a Graphviz format.

    Colours and labels are plainer than with `pydotprint`: boxes contain types and lengths, and ops
    contain the steps of scans and the branches of conditions. Only formats such as png and pdf
    need another program, Graphviz.

    Parameters
    ----------
    graph : compiled function, FunctionGraph, Variable, Apply or list of Variables
    outfile : str or path, optional
        The file to write; its directory is created.
    format : str, optional
        ``'svg'``, ``'html'``, ``'json'``, ``'dot'``, or a format of Graphviz. By default the
        extension of ``outfile``, or ``'svg'``.
    title : str, optional
        By default the name of the function.
    inner : int
        The most nodes to draw inside others; 0 draws all ops closed. On a page, ops can be opened.
    fused : bool
        Whether to open fused elementwise ops too.
    limit : int
        The most ops to draw; of a larger graph, those nearest to its outputs, with a note.
    times : mapping from Apply nodes to seconds, optional
        By default taken from the profile of a compiled function.
    shapes : mapping from Variables to lengths, optional
        Lengths to show that are not known from types.

    Returns
    -------
    str or bytes, or None if it was written to a file

    >>> import theano, theano.tensor as T
    >>> x = T.dvector("x")
    >>> f = theano.function([x], T.log(1 + T.exp(x)))
    >>> image = theano.printing.draw(f)
    >>> "softplus" in image and "rewritten from: log" in image
    True
    """
    path = None if outfile is None else os.fspath(outfile)
    if format is None:
        ending = "" if path is None else os.path.splitext(path)[1]
        format = ending.removeprefix(".").lower() or "svg"
    picture = describe(graph, title=title, times=times, shapes=shapes, limit=limit)
    result = _written(picture, format, inner, fused)
    if path is None:
        return result
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(result if isinstance(result, bytes) else result.encode())
    return None


def _written(picture: Picture, format: str, inner: int, fused: bool) -> str | bytes:
    match format:
        case "svg":
            return svg(picture, inner=inner, fused=fused)
        case "html":
            return html(picture)
        case "json":
            return to_json(picture)
        case "dot" | "gv":
            return dot(picture, inner, fused)
    if is_large(sheet := sheet_of(picture)):
        return graphviz.run(dot_with_places(layout(sheet, "layered")), format, has_places=True)
    return graphviz.run(dot(picture, inner, fused), format)
