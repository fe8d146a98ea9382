"""Sheet: the shapes and arrows of a picture before layout."""

from __future__ import annotations

from dataclasses import dataclass, field

#: pixels
FONT, SMALL, LINE, PAD = 12.0, 10.0, 15.0, 11.0
_NARROW = frozenset("iljtfrI.,:;|!'()[]{} ·")
_WIDE = frozenset("mwMWQO@…—")


def text_width(text: str, size: float) -> float:
    """Estimate the width of a text in a sans-serif font, rather too large than too small."""
    wide = 0.0
    for char in text:
        if char in _NARROW:
            wide += 0.35
        elif char in _WIDE:
            wide += 0.92
        elif char.isupper():
            wide += 0.72
        else:
            wide += 0.59
    return wide * size


@dataclass(frozen=True, slots=True)
class Text:
    """One line of the text of a shape."""

    text: str
    size: float = FONT
    ink: str = "#1f2937"
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Shape:
    """A node as it is drawn.

    Attributes
    ----------
    id : str
        Unique on the sheet.
    of : str
        The id of the node in the picture; several shapes may represent one node.
    form : {'box', 'pill', 'ellipse'}
    hover : str
        The tooltip.
    classes : str
        CSS classes.
    heat : float or None
        The fraction of the time, from 0 to 1.
    inner : tuple of Sheet
        Graphs that are drawn inside.
    """

    id: str
    of: str
    texts: tuple[Text, ...]
    form: str = "box"
    fill: str = "#ffffff"
    stroke: str = "#9ca3af"
    dashed: bool = False
    hover: str = ""
    classes: str = ""
    heat: float | None = None
    inner: tuple[Sheet, ...] = ()

    def size(self) -> tuple[float, float]:
        """Return the width and height that its text needs."""
        wide = max((text_width(t.text, t.size) for t in self.texts), default=0.0)
        high = sum(t.size + 3.0 for t in self.texts) + PAD
        if self.form == "pill":
            wide += high * 0.35
        elif self.form == "ellipse":
            # the largest box in an ellipse is smaller by a factor of sqrt(2)
            return max(1.35 * wide + PAD, 44.0), 1.4 * high
        return max(wide + 1.6 * PAD, 30.0), high


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge as it is drawn.

    Attributes
    ----------
    source, target : str
        Ids of shapes.
    ranks : bool
        Whether the source must be above the target.
    """

    source: str
    target: str
    label: str = ""
    colour: str = "#94a3b8"
    dashed: bool = False
    hover: str = ""
    classes: str = ""
    ranks: bool = True


@dataclass(frozen=True, slots=True)
class Sheet:
    """Shapes and arrows, with a title, a note and a legend."""

    title: str
    shapes: tuple[Shape, ...]
    arrows: tuple[Arrow, ...]
    note: str = ""
    legend: tuple[Shape, ...] = field(default=())
