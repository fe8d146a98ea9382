"""Run the program dot of Graphviz, for layouts and for pictures in its formats."""

from __future__ import annotations

import shutil
import subprocess
from collections import deque
from collections.abc import Sequence

from theano._src.show.drawing.layered import Placement, Point

_INCH = 72.0
_SECONDS = 20.0


def program() -> str | None:
    """Return the path of dot; None if Graphviz is not installed."""
    return shutil.which("dot")


def run(text: str, format: str, seconds: float | None = None, has_places: bool = False) -> bytes:
    """Convert a graph in DOT to one of Graphviz's formats.

    Parameters
    ----------
    text : str
    format : str
    seconds : float, optional
        Timeout.
    has_places : bool
        Whether the graph contains all positions, so that dot only draws it.

    Raises
    ------
    RuntimeError
        If dot is not installed, or refuses the graph or the format.
    """
    path = program()
    if path is None:
        raise RuntimeError(
            f"{format} is written by the program dot of Graphviz, which is not installed; install "
            "Graphviz, or draw with format='svg' or theano.d3viz.d3viz, which need no program"
        )
    how = ["-Kneato", "-n2"] if has_places else []
    done = subprocess.run(
        [path, *how, f"-T{format}"], input=text.encode(), capture_output=True, timeout=seconds
    )
    if done.returncode:
        message = done.stderr.decode(errors="replace").strip()
        raise RuntimeError(f"dot made no {format} of the graph: {message}")
    return done.stdout


def placed(sizes: Sequence[Point], edges: Sequence[tuple[int, int]]) -> Placement | None:
    """Place shapes of given sizes; return None if dot takes too long or fails."""
    lines = ["digraph {", "graph [nodesep=0.3, ranksep=0.55]", "edge [arrowhead=none]"]
    lines.append('node [shape=box, fixedsize=true, label=""]')
    for i, (wide, high) in enumerate(sizes):
        lines.append(f"{i} [width={wide / _INCH:.4f}, height={high / _INCH:.4f}]")
    lines += [f"{s} -> {t}" for s, t in edges]
    try:
        text = run("\n".join([*lines, "}"]), "plain", _SECONDS).decode()
    except (RuntimeError, subprocess.TimeoutExpired):
        return None
    return _read(text, sizes, edges)


def _read(text: str, sizes: Sequence[Point], edges: Sequence[tuple[int, int]]) -> Placement:
    """Read positions from the output of ``dot -Tplain``: inches, from the bottom left corner."""
    height = width = 0.0
    centres: list[Point] = [(0.0, 0.0)] * len(sizes)
    result: dict[tuple[int, int], deque[list[Point]]] = {}
    for line in text.replace("\\\n", "").splitlines():
        kind, *words = line.split()
        match kind:
            case "graph":
                width, height = float(words[1]) * _INCH, float(words[2]) * _INCH
            case "node":
                centres[int(words[0])] = _point(words[1], words[2], height)
            case "edge":
                many = 3 + 2 * int(words[2])
                points = [_point(words[i], words[i + 1], height) for i in range(3, many, 2)]
                result.setdefault((int(words[0]), int(words[1])), deque()).append(points)
    return Placement(centres, [result[edge].popleft() for edge in edges], width, height)


def _point(x: str, y: str, height: float) -> Point:
    return float(x) * _INCH, height - float(y) * _INCH
