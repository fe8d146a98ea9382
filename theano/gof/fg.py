"""FunctionGraph and its errors."""

from theano._src.graph.fg import FunctionGraph as FunctionGraph
from theano._src.ground.errors import (
    InconsistencyError as InconsistencyError,
    MissingInputError as MissingInputError,
)
