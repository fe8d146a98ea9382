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


PALETTE = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#9d755d", "#eeca3b")


def mesh_picture() -> str:
    """What the devices of a mesh of four by two have of an array, under four shardings."""
    panels = {
        "mesh.replicated": lambda d, m: (range(8), range(4), 0),
        'mesh["data"]': lambda d, m: (range(2 * d, 2 * d + 2), range(4), d),
        'mesh[None, "model"]': lambda d, m: (range(8), range(2 * m, 2 * m + 2), m),
        'mesh["data", "model"]': lambda d, m: (
            range(2 * d, 2 * d + 2), range(2 * m, 2 * m + 2), 2 * d + m,
        ),
    }  # fmt: skip
    text = []
    for k, (title, part) in enumerate(panels.items()):
        left = 50 + 215 * k
        text.append(
            f'<text x="{left + 80}" y="20" class="t">{title.replace(chr(34), "&quot;")}</text>'
        )
        text += [f'<text x="{left + 40 + 80 * m}" y="42">model {m}</text>' for m in range(2)]
        for d in range(4):
            if k == 0:
                text.append(
                    f'<text x="{left - 8}" y="{50 + 74 * d + 38}" class="e">data {d}</text>'
                )
            for m in range(2):
                x, y = left + 80 * m, 50 + 74 * d
                text.append(f'<rect x="{x}" y="{y}" width="74" height="68" class="d"/>')
                rows, columns, colour = part(d, m)
                for r in range(8):
                    for c in range(4):
                        held = r in rows and c in columns
                        fill = PALETTE[colour] if held else "#ececec"
                        text.append(
                            f'<rect x="{x + 7 + 15 * c}" y="{y + 4 + 7.5 * r}" width="14" '
                            f'height="6.5" fill="{fill}"/>'
                        )
    style = (
        "text{font:12px sans-serif;text-anchor:middle;fill:#333}.t{font:13px monospace}"
        ".e{text-anchor:end}.d{fill:#fff;stroke:#888}"
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 350" width="900" height="350">'
        f'<style>{style}</style><rect width="900" height="350" fill="#fff"/>{"".join(text)}</svg>'
    )


def main() -> None:
    (FIGURES / "mesh.svg").write_text(mesh_picture() + "\n", encoding="utf-8")
    for name, graph in graphs().items():
        # the same on every machine, whether Graphviz is installed or not
        text = svg(describe(graph), engine="layered")
        (FIGURES / f"{name}.svg").write_text(text + "\n", encoding="utf-8")
        print(f"{name}.svg {len(text) // 1024} kB")


if __name__ == "__main__":
    main()
