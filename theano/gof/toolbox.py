"""Features for FunctionGraphs."""

from theano._src.graph.features import (
    Bookkeeper,
    Feature,
    History,
    NodeFinder,
    NoOutputFromInplace,
    PreserveNames,
    PreserveVariableAttributes,
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
    "NoOutputFromInplace",
    "NodeFinder",
    "PreserveNames",
    "PreserveVariableAttributes",
    "PrintListener",
    "ReplaceValidate",
    "ReplacementDidntRemovedError",
    "Validator",
]
