"""Families and short names of ops, for pictures and their colours."""

from __future__ import annotations

import re
from typing import Any

#: for each family, class names among the bases of its ops; the first match wins
# fmt: off
_CLASSES: dict[str, tuple[str, ...]] = {
    "loop":         ("Scan",),
    "condition":    ("IfElse", "Branches"),
    "function":     ("HasInnerGraph",),
    "reduction":    ("CAReduce", "MaxAndArgmax", "Argmax", "CumOp", "CumsumOp", "CumprodOp"),
    "shape":        ("Shape", "Shape_i", "Reshape", "DimShuffle", "Rebroadcast", "SpecifyShape",
                     "MakeVector", "Join", "Split", "Alloc", "AllocEmpty", "ARange", "Eye"),
    "indexing":     ("Subtensor", "IncSubtensor", "AdvancedSubtensor", "AdvancedIncSubtensor",
                     "AdvancedSubtensor1", "AdvancedIncSubtensor1", "StaticTake"),
    "product":      ("Dot", "Accumulating", "Dot22", "Dot22Scalar", "BatchedDot", "Einsum"),
    "network":      ("Softmax", "LogSoftmax", "SoftmaxGrad", "CrossentropyCategorical1Hot",
                     "CrossentropySoftmaxArgmax1HotWithBias", "SoftmaxWithBias"),
    "random":       ("RandomFunction", "mrg_uniform", "MultinomialFromUniform"),
}
# fmt: on
#: for each family, words in the names of further classes; the first match wins
# fmt: off
_WORDS: dict[str, tuple[str, ...]] = {
    "indexing":  ("Subtensor", "Diag", "Choose", "Nonzero", "AlongAxis"),
    "network":   ("Conv", "Corr", "Pool", "BatchNorm", "Softmax", "Crossentropy", "Temporal",
                  "Neibs", "Downsample"),
    "product":   ("Cholesky", "Solve", "Matrix", "Eig", "SVD", "QR", "Det", "Expm", "Lstsq",
                  "TensorDot", "FFT", "Fourier"),
    "reduction": ("LogSumExp", "SumToLengths", "Argmin"),
    "shape":     ("Flatten", "Tile", "Repeat", "Roll", "Tri"),
    "transfer":  ("FromHost", "FromGpu"),
}
# fmt: on
FAMILIES = ("elementwise", "fused", *dict.fromkeys((*_CLASSES, *_WORDS)), "other")

_ELEMWISE = re.compile(r"^Elemwise\{([^{},]+)(?:,no_inplace)?\}(?:\[.*\])?$")
_CAST = re.compile(r"^Elemwise\{Cast\{(\w+)\}.*\}")


def fused_graph(op: Any) -> Any:
    """Return the scalar graph inside a fused elementwise op, or None for other ops."""
    scalar: Any = getattr(op, "scalar_op", None)
    return scalar.fgraph if hasattr(scalar, "steps") else None


def family_of(op: Any) -> str:
    """Return the family of an op, one of `FAMILIES`."""
    if hasattr(op, "scalar_op") and not any(c.__name__ == "CAReduce" for c in type(op).__mro__):
        return "fused" if hasattr(op.scalar_op, "steps") else "elementwise"
    names = {c.__name__ for c in type(op).__mro__}
    if "ScalarOp" in names:
        return "elementwise"
    for family, classes in _CLASSES.items():
        if not names.isdisjoint(classes):
            return family
    own = type(op).__name__
    for family, words in _WORDS.items():
        if any(word in own for word in words):
            return family
    return "other"


def short_name(op: Any, longest: int = 26) -> str:
    """Return a short name of an op: ``add`` for ``Elemwise{add,no_inplace}``."""
    if (graph := fused_graph(op)) is not None:
        return f"{len(graph.apply_nodes)} ops fused"
    text = str(op)
    if match := _ELEMWISE.match(text):
        text = match[1]
    elif match := _CAST.match(text):
        text = f"as {match[1]}"
    text = text.removeprefix("scalar_").removeprefix("Inplace")
    return shortened(text, longest)


def shortened(text: str, longest: int) -> str:
    """Return the text in one line of at most ``longest`` characters, with an ellipsis if cut."""
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1] + "…"
