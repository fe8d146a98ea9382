"""FunctionGraph and its errors."""

from theano._src.graph.fg import FunctionGraph as FunctionGraph
from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ground.errors import (
    InconsistencyError as InconsistencyError,
    MissingInputError as MissingInputError,
)

__getattr__ = _module_getattr(__name__)
