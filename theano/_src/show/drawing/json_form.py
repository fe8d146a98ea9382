"""Pictures as JSON, for programs that draw, search or compare graphs."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from theano._src.show.drawing.picture import Picture, PictureEdge, PictureNode

_NODE = [f.name for f in fields(PictureNode) if f.name != "inner"]
_EDGE = [f.name for f in fields(PictureEdge)]


def pictures_in(top: Picture) -> list[Picture]:
    """Return a picture and all pictures inside it, each once, outer ones first."""
    result = {id(top): top}
    queue = [top]
    for picture in queue:
        for node in picture.nodes:
            new = [p for p in node.inner if id(p) not in result]
            result |= {id(p): p for p in new}
            queue += new
    return queue


def to_dict(picture: Picture) -> dict[str, Any]:
    """Return a picture as lists, dicts, strings and numbers.

    ``pictures`` has the picture itself first, then the graphs inside ops; ``inner`` of a node has
    indices into it. Unknown properties of a node or an edge are omitted.

    >>> import theano.tensor as T
    >>> from theano._src.show.drawing.description import describe
    >>> made = to_dict(describe(T.exp(T.dscalar("x"))))
    >>> made["pictures"][0]["edges"][0]
    {'source': 'n1', 'target': 'n2', 'kind': 'use', 'type': 'TensorType(float64, scalar)', ...}
    """
    pictures = pictures_in(picture)
    number = {id(p): k for k, p in enumerate(pictures)}
    return {
        "format": "theano picture",
        "version": 1,
        "pictures": [
            {
                "title": p.title,
                "note": p.note,
                "total": p.total,
                "nodes": [
                    _filled(node, _NODE)
                    | ({"inner": [number[id(i)] for i in node.inner]} if node.inner else {})
                    for node in p.nodes
                ],
                "edges": [_filled(edge, _EDGE) for edge in p.edges],
            }
            for p in pictures
        ],
    }


def _filled(thing: Any, names: list[str]) -> dict[str, Any]:
    result = {name: getattr(thing, name) for name in names}
    return {name: value for name, value in result.items() if value is not None and value != ""}


def to_json(picture: Picture, indent: int | None = None) -> str:
    """Return a picture as JSON, with the content of `to_dict`.

    >>> import json, theano.tensor as T
    >>> from theano._src.show.drawing.description import describe
    >>> json.loads(to_json(describe(T.dscalar("x"))))["version"]
    1
    """
    return json.dumps(to_dict(picture), indent=indent, default=str)
