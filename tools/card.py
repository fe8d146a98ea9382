"""Draws the picture that previews of links show: `python tools/card.py` writes docs/_static.

The shades of letters differ by the version of Matplotlib, so it is not drawn anew by the tests.
"""

from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

CARD = Path(__file__).resolve().parents[1] / "docs" / "_static" / "card.png"


def card(path: Path) -> None:
    """The picture that previews of links to the site show: 1200 by 630."""
    ink, hot, paper = "#33302e", "#d9481c", "#fbf8f3"
    figure = Figure(figsize=(12, 6.3), dpi=100, facecolor=paper)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, 1200), ylim=(0, 630))
    axes.axis("off")
    axes.add_patch(Rectangle((0, 0), 1200, 14, color=hot))
    axes.text(80, 455, "Theano on XLA", size=50, weight="bold", color=ink, va="center")
    lines = (
        "Symbolic array expressions in Python:\n"
        "typed, differentiated and rewritten as\n"
        "graphs, run on NumPy, compiled by XLA."
    )
    axes.text(82, 310, lines, size=22, color=ink, va="center", linespacing=1.5)
    axes.text(82, 150, "T.log(1 + T.exp(x))", size=21, family="monospace", color=hot)
    # log(1 + exp(x)) as it is written, and the one op that runs
    at = {"x": (800, 110), "exp": (800, 230), "1": (925, 230), "+": (862, 350), "log": (862, 470)}
    after = {"x ": (1075, 230), "softplus": (1075, 350)}
    edges = [("x", "exp"), ("exp", "+"), ("1", "+"), ("+", "log"), ("x ", "softplus")]
    at |= after
    for start, end in edges:
        axes.plot(*zip(at[start], at[end]), color="#9a938b", linewidth=3, zorder=1)
    for name, (x, y) in at.items():
        leaf = name in ("x", "x ", "1")
        colour = "#ffffff" if leaf else hot if name == "softplus" else "#f1c9b8"
        width = 150 if name == "softplus" else 78
        box = FancyBboxPatch(
            (x - width / 2, y - 26), width, 52, boxstyle="round,pad=0,rounding_size=24",
            facecolor=colour, edgecolor=hot, linewidth=2.5, zorder=2,
        )  # fmt: skip
        axes.add_patch(box)
        axes.text(
            x, y - 1, name.strip(), size=19, ha="center", va="center", zorder=3,
            family="monospace", color="#ffffff" if name == "softplus" else ink,
        )  # fmt: skip
    arrow = {"arrowstyle": "-|>", "color": ink, "lw": 2.5, "connectionstyle": "arc3,rad=-0.3"}
    axes.annotate("", (1030, 420), (925, 470), arrowprops=arrow, zorder=1)
    figure.savefig(path, metadata={"Software": None})


if __name__ == "__main__":
    card(CARD)
