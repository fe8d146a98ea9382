"""Draws the graphs that the documents show: `python tools/figures.py` writes docs/figures."""

from pathlib import Path

import numpy as np

import theano
import theano.tensor as T
from theano._src.show.drawing.description import describe
from theano._src.show.drawing.svg import svg

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "figures"


def graphs() -> dict[str, object]:
    """What docs/tutorial/drawing.md draws, by the names of the files."""
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
    return {"prediction": p, "train": train, "power": power}


def main() -> None:
    for name, graph in graphs().items():
        # the same on every machine, whether Graphviz is installed or not
        text = svg(describe(graph), engine="layered")
        (FIGURES / f"{name}.svg").write_text(text + "\n", encoding="utf-8")
        print(f"{name}.svg {len(text) // 1024} kB")


if __name__ == "__main__":
    main()
