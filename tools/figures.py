"""Writes the pictures of the documents: ``python -m tools.figures``.

``--check`` writes nothing and fails if a file of docs/figures is not what the code draws now.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

import theano
import theano.tensor as T
from theano._src.show.drawing.description import describe
from theano._src.show.drawing.svg import svg
from tools import figures_drawn

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "figures"


def pictures() -> dict[str, str]:
    """Every picture that is made here, by the name of its file."""
    graphs = {**drawing(), **one_graph(), **tutorial()}
    made = {name: graph_picture(*graph) for name, graph in graphs.items()}
    drawn = figures_drawn
    for draw in (drawn.mesh, drawn.broadcasting, drawn.scan, drawn.sparsity, drawn.pipeline):
        made[draw.__name__] = draw()
    return {f"{name}.svg": text + "\n" for name, text in made.items()}


def graph_picture(graph: Any, title: str | None, legend: bool) -> str:
    # the same on every machine, whether Graphviz is installed or not
    text = svg(describe(graph, title=title), engine="layered", legend=legend)
    return re.sub(r"made at figures\.py:\d+: ", "made by ", text)


def drawing() -> dict[str, tuple[Any, str | None, bool]]:
    """What docs/tutorial/drawing.md draws."""
    x, y = T.dmatrix("x"), T.dvector("y")
    w = theano.shared(np.zeros(784), name="w")
    b = theano.shared(0.0, name="b")
    p = 1 / (1 + T.exp(-T.dot(x, w) - b))
    cost = -(y * T.log(p) + (1 - y) * T.log(1 - p)).mean()
    gw, gb = T.grad(cost, [w, b])
    updates = [(w, w - 0.1 * gw), (b, b - 0.1 * gb)]
    train = theano.function([x, y], cost, updates=updates, name="train")
    k, a = T.iscalar("k"), T.dvector("a")
    powers, _ = theano.scan(lambda before, a: before * a, None, T.ones_like(a), a, k)
    power = theano.function([k, a], powers[-1], name="power")
    return {
        "prediction": (p, None, True),
        "train": (train, None, True),
        "power": (power, None, True),
    }


def one_graph() -> dict[str, tuple[Any, str | None, bool]]:
    """The program of docs/internals/one-graph.md, from the cost to what runs."""
    x = T.dvector("x")
    w = theano.shared(np.ones(3), name="w")
    z = x * w
    cost = T.log(1 + T.exp(z)).sum()
    gw = T.grad(cost, w)
    step = theano.function([x], cost, updates=[(w, w - 0.1 * gw)], name="step")
    steps = theano.printing.rewriting(step)
    last = {s.within: s.order for s in steps}
    return {
        "one-graph-cost": (cost, "cost, as written", False),
        "one-graph-gradient": (gw, "gw = T.grad(cost, w)", False),
        "one-graph-written": (steps.graph(0), "as written", False),
        "one-graph-canonical": (steps.graph(last["canonicalize"]), "after canonicalize", False),
        "one-graph-stable": (steps.graph(last["stabilize"]), "after stabilize", False),
        "one-graph-runs": (step, "as it runs on NumPy", True),
    }


def tutorial() -> dict[str, tuple[Any, str | None, bool]]:
    """Graphs of the tutorial and of the first pages: rewriting, and a gradient."""
    x = T.dvector("x")
    y = T.log(1 + T.exp(x))
    f = theano.function([x], y)
    a = T.dscalar("a")
    cost = T.sin(a) * a
    g = T.grad(cost, a)
    return {
        "rewriting-before": (y, "", False),
        "rewriting-after": (f.maker.fgraph.outputs[0], "", False),
        "gradient-forward": (cost, "", False),
        "gradient-backward": (g, "", False),
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if one is stale")
    check = parser.parse_args(arguments).check
    stale = []
    for name, text in pictures().items():
        path = FIGURES / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not check:
            path.write_text(text, encoding="utf-8")
        print(f"{name}: {'stale; python -m tools.figures' if check else 'written'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
