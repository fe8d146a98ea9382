"""Pictures 1,400 pixels wide, in colours that are distinct for all eyes."""

import contextlib

import numpy as np

# The palette of Okabe and Ito.
BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
SKY, PURPLE, YELLOW, GRAY = "#56B4E9", "#CC79A7", "#F0E442", "#777777"


def can_draw():
    """Whether matplotlib is installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    return True


@contextlib.contextmanager
def canvas(path, height=280):
    """A figure of matplotlib, 7 inches and 1,400 pixels wide, written to the path at the end."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    style = {
        "font.size": 8,
        "axes.titlesize": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
        "lines.linewidth": 1.2,
    }
    with rc_context(style):
        figure = Figure(figsize=(7, height / 100), dpi=200, layout="constrained")
        FigureCanvasAgg(figure)
        yield figure
        # without the version of matplotlib, and with 256 colours: the file stays small
        figure.savefig(path, metadata={"Software": None})
    with_few_colours(path)
    print(f"drawn to {path}")


def with_few_colours(path):
    from PIL import Image

    with Image.open(path) as image:
        small = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    small.save(path, format="PNG", optimize=True)


def tiles(images, rows, columns, gap=1):
    """Images of one size as one array: so many rows and columns, NaN (white) between them."""
    images = np.asarray(images)
    height, width = images.shape[1:]
    sheet = np.full((rows * (height + gap) - gap, columns * (width + gap) - gap), np.nan)
    for i, image in enumerate(images[: rows * columns]):
        top, left = i // columns * (height + gap), i % columns * (width + gap)
        sheet[top : top + height, left : left + width] = image
    return sheet
