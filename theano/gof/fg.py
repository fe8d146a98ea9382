"""FunctionGraph and its errors."""

from theano._src.graph.fg import FunctionGraph
from theano._src.ground.errors import InconsistencyError, MissingInputError

__all__ = ["FunctionGraph", "InconsistencyError", "MissingInputError"]
