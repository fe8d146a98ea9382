"""d3viz and d3write: a graph as an interactive page, and as a file for Graphviz."""

from __future__ import annotations

import os
from typing import Any

from theano._src.ground.documented import documented_in
from theano._src.show.drawing.description import describe
from theano._src.show.drawing.html_form import html
from theano._src.show.drawing.pydot_formatter import PyDotFormatter


@documented_in("theano.d3viz")
def d3viz(fct: Any, outfile: Any, copy_deps: bool = True, compact: bool = True) -> None:
    """Write an interactive page on which a graph can be moved, zoomed, searched and opened.

    The page is one file that works offline: it contains its script and loads nothing.
    Inputs are green and outputs blue; ops are coloured by kind. Blue edges are views, red edges
    inputs that are overwritten. Ops with inner graphs (scans, conditions, ops from graphs, fused
    elementwise ops) open by a double click or by their ``+``.

    Parameters
    ----------
    fct : compiled function, FunctionGraph, Variable, Apply or list of Variables
        If a compiled function has a profile, ops show their times.
    outfile : str or path
        The file to write; its directory is created.
    copy_deps : bool
        Accepted for compatibility; the page has no other files.
    compact : bool
        Whether to omit boxes for variables between ops.

    >>> import os, tempfile, theano.d3viz, theano.tensor as T
    >>> x = T.dvector("x")
    >>> with tempfile.TemporaryDirectory() as at:
    ...     theano.d3viz.d3viz(T.exp(x).sum(), os.path.join(at, "page.html"))
    ...     os.listdir(at)
    ['page.html']
    """
    path = os.fspath(outfile)
    page = html(describe(fct, boxes="ends" if compact else "all"))
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)


@documented_in("theano.d3viz")
def d3write(fct: Any, path: Any, compact: bool = True) -> None:
    """Write a graph in DOT, as `theano.d3viz.formatting.PyDotFormatter` makes it.

    Parameters
    ----------
    fct : compiled function, FunctionGraph, Variable, Apply or list of Variables
    path : str or path
    compact : bool
        Whether to omit unnamed variables between ops.

    >>> import os, tempfile, theano.d3viz, theano.tensor as T
    >>> with tempfile.TemporaryDirectory() as at:
    ...     theano.d3viz.d3write(T.exp(T.dscalar("x")), os.path.join(at, "graph.dot"))
    ...     os.listdir(at)
    ['graph.dot']
    """
    graph = PyDotFormatter(compact)(fct)
    with open(os.fspath(path), "w", encoding="utf-8") as file:
        file.write(graph.to_string())
