"""d3viz and d3write: a graph as a page to look around in, and as a file for Graphviz."""

from __future__ import annotations

import os
from typing import Any

from theano._src.ground.documented import documented_in
from theano._src.show.drawing.description import describe
from theano._src.show.drawing.html_form import html
from theano._src.show.drawing.pydot_formatter import PyDotFormatter


@documented_in("theano.d3viz")
def d3viz(fct: Any, outfile: Any, copy_deps: bool = True, compact: bool = True) -> None:
    """Write a page on which a graph can be moved, zoomed, searched, and opened op by op.

    The page is one file that works without a network: its script is inside, and nothing is loaded.
    Inputs are green and outputs blue; ops are coloured by what they do. Blue edges are views,
    red ones inputs that are overwritten. Ops that hold graphs (scans, conditions, ops from graphs,
    fused elementwise ops) open by a double click or by their ``+``.

    Parameters
    ----------
    fct : compiled function, FunctionGraph, Variable, Apply or list of Variables
        Of a compiled function with a profile, ops show their times.
    outfile : str or path
        The page; its directory is made.
    copy_deps : bool
        Accepted, as there is nothing beside the page to copy.
    compact : bool
        Whether variables between ops have no box.

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
        Whether variables between ops that have no name are left out.

    >>> import os, tempfile, theano.d3viz, theano.tensor as T
    >>> with tempfile.TemporaryDirectory() as at:
    ...     theano.d3viz.d3write(T.exp(T.dscalar("x")), os.path.join(at, "graph.dot"))
    ...     os.listdir(at)
    ['graph.dot']
    """
    graph = PyDotFormatter(compact)(fct)
    with open(os.fspath(path), "w", encoding="utf-8") as file:
        file.write(graph.to_string())
