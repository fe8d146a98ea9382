"""Features for FunctionGraphs."""

from theano._src.graph.features import (
    Bookkeeper,
    Feature,
    History,
    NodeFinder,
    PrintListener,
    ReplaceValidate,
    Validator,
)
from theano._src.ground.errors import AlreadyThere, ReplacementDidntRemovedError

__all__ = [
    "AlreadyThere",
    "Bookkeeper",
    "Feature",
    "History",
    "NodeFinder",
    "PrintListener",
    "ReplaceValidate",
    "ReplacementDidntRemovedError",
    "Validator",
]
