"""Diagrams that are not graphs: from a formula to a function, meshes, broadcasting, a loop."""

from __future__ import annotations

import theano
import theano.tensor as T
from theano import gradient
from theano._src.control.sparsity.colouring import colour_jacobian

PALETTE = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#9d755d", "#eeca3b")


def mesh() -> str:
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


GREEN, BLUE, ORANGE = ("#dcfce7", "#16a34a"), ("#dbeafe", "#2563eb"), ("#ffedd5", "#ea580c")
GREY = ("#ffffff", "#9ca3af")


def _page(width: int, height: int, parts: list[str]) -> str:
    face = "font-family='Helvetica Neue,Helvetica,Arial,sans-serif'"
    style = (
        "text{font-size:13px;text-anchor:middle;fill:#1f2937}.c{font-family:monospace}"
        ".s{font-size:11px;fill:#64748b}.h{font-weight:600}.l{text-anchor:start}"
        ".a{fill:none;stroke:#64748b;stroke-width:1.3;marker-end:url(#tip)}"
    )
    tip = (
        '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
        '<path d="M0 0L8 4L0 8Z" fill="#64748b"/></marker></defs>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" {face}><style>{style}</style>{tip}'
        f'<rect width="{width}" height="{height}" rx="8" fill="#fff"/>{"".join(parts)}</svg>'
    )


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}">{text}</text>'


def _cell(
    x: float,
    y: float,
    text: object,
    colours: tuple[str, str],
    width: float = 38,
    height: float = 30,
) -> str:
    fill, line = colours
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3" fill="{fill}" '
        f'stroke="{line}"/>' + _text(x + width / 2, y + height / 2 + 4.5, str(text), "c")
    )


def _arrow(*points: tuple[float, float]) -> str:
    return f'<path class="a" d="M{"L".join(f"{x:g} {y:g}" for x, y in points)}"/>'


def broadcasting() -> str:
    """A vector and a column added to a matrix: what is there, and what it is stretched to."""
    parts = []
    matrix = [[1, 2, 3], [4, 5, 6]]
    panels = [
        ("m + v", "v, (3,) -> (x, 0)", [[10, 20, 30]], "(True, False)"),
        ("m + c.dimshuffle(0, 'x')", "c, (2,) -> (0, x)", [[10], [20]], "(False, True)"),
    ]
    for k, (title, what, small, pattern) in enumerate(panels):
        top = 20 + 150 * k
        parts.append(_text(20, top + 6, title, "c l h"))
        for name, left in (("m", 20), (what, 180), ("result", 340)):
            parts.append(_text(left + 57, top + 28, name.replace("->", "→"), "s"))
        for r in range(2):
            for c in range(3):
                y = top + 36 + 30 * r
                there = r < len(small) and c < len(small[0])
                value = small[r if len(small) > 1 else 0][c if len(small[0]) > 1 else 0]
                parts.append(_cell(20 + 38 * c, y, matrix[r][c], BLUE))
                parts.append(_cell(180 + 38 * c, y, value, GREEN if there else GREY))
                parts.append(_cell(340 + 38 * c, y, matrix[r][c] + value, ORANGE))
        parts += [_text(157, top + 71, "+"), _text(317, top + 71, "=")]
        parts.append(_text(237, top + 114, f"broadcastable {pattern}", "s"))
    parts.append(_text(20, 306, "green: stored; white: the same element, read again", "s l"))
    return _page(475, 320, parts)


def scan() -> str:
    """Three steps of a scan: an element of the sequence and the last state go in."""
    parts = []
    for k in range(3):
        x = 130 + 170 * k
        parts.append(_cell(x, 30, f"x[{k}]", GREEN, 70))
        parts.append(_cell(x, 160, f"h[{k}]", ORANGE, 70))
        parts.append(_cell(x - 10, 92, "step", BLUE, 90, 34))
        parts += [_arrow((x + 35, 60), (x + 35, 92)), _arrow((x + 35, 126), (x + 35, 160))]
        if k:
            parts.append(_arrow((x - 90, 109), (x - 10, 109)))
            parts.append(_text(x - 50, 103, f"h[{k - 1}]", "s"))
    parts.append(_cell(20, 94, "h0", GREEN, 50))
    parts.append(_arrow((70, 109), (120, 109)))
    parts.append(_cell(120, 222, "w: the same in every step", GREY, 430))
    parts += [_text(20, 50, "sequences", "s l"), _text(20, 86, "outputs_info", "s l")]
    parts += [_text(20, 180, "outputs", "s l"), _text(20, 242, "non_sequences", "s l")]
    parts.append(_text(335, 212, "stacked: the output of scan has one row for each step", "s"))
    return _page(570, 268, parts)


def sparsity() -> str:
    """Jacobians of three problems: each stored element in the colour of the product that has it."""
    x = T.dvector("x")
    u = x.reshape((6, 6))
    inner = u[1:-1, 1:-1]
    around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
    panels = {
        "a chain, by columns": (x[2:] * x[1:-1] + x[:-2], 18),
        "a grid, by columns": ((4 * inner - around - T.exp(inner)).flatten(), 36),
        "sums and one total, by both": (T.concatenate([[T.sum(x**2)], x[1:] * x[:-1]]), 18),
    }
    parts, left = [], 20.0
    for title, (y, n) in panels.items():
        pattern = gradient.sparsity(y, x, n)
        colours = colour_jacobian(pattern)
        size = 300 / n
        rows, columns = pattern.nonzero()
        height = size * pattern.shape[0]
        parts.append(_text(left + 150, 20, title, "h"))
        parts.append(
            f"<rect x='{left}' y='32' width='300' height='{height:.1f}' fill='#fff' "
            "stroke='#9ca3af'/>"
        )
        by_column = colours.columns.max() + 1
        for place, i, j in zip(colours.places, rows, columns, strict=True):
            is_row = place >= by_column * pattern.shape[0]
            colour = by_column + colours.rows[i] if is_row else colours.columns[j]
            parts.append(
                f"<rect x='{left + size * j + 0.5:.1f}' y='{32 + size * i + 0.5:.1f}' "
                f"width='{size - 1:.1f}' height='{size - 1:.1f}' fill='{PALETTE[colour]}'/>"
            )
        count = by_column + colours.rows.max() + 1
        parts.append(_text(left + 150, 50 + height, f"{pattern.nnz} elements, {count} products"))
        left += 320
    return _page(980, 360, parts)


def pipeline() -> str:
    """Return the picture of the first page: a formula, what it is rewritten to, and what runs."""
    x = T.dvector("x")
    y = T.log(1 + T.exp(x))
    outputs = [y, T.grad(y.sum(), x)]
    rewritten = [theano.pp(v) for v in theano.function([x], outputs).maker.fgraph.outputs]
    columns = [
        ("You write", ["y = log(1 + exp(x))", "g = grad(sum(y), x)"], GREEN),
        ("Theano rewrites", [f"y = {rewritten[0]}", f"g = {rewritten[1]}"], BLUE),
    ]
    parts = []
    for k, (title, lines, colours) in enumerate(columns):
        left = 20 + 290 * k
        parts.append(_text(left + 115, 30, title, "h"))
        parts += [_cell(left, 58 + 56 * i, line, colours, 230, 40) for i, line in enumerate(lines)]
        parts.append(_arrow((left + 234, 106), (left + 286, 106)))
    engines = [
        ("NumPy", "at once, any shape"),
        ("machine code", "small calls"),
        ("XLA", "long calls, GPU, TPU"),
    ]
    parts.append(_text(715, 30, "and runs it on", "h"))
    for i, (engine, when) in enumerate(engines):
        parts.append(_cell(600, 46 + 44 * i, engine, ORANGE, 110, 34))
        parts.append(_text(720, 68 + 44 * i, when, "s l"))
    return _page(850, 192, parts)
