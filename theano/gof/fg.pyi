# Written by tools/stubs.py from fg.py: change that file.
from theano._src.graph.fg import FunctionGraph as FunctionGraph
from theano._src.graph.source_line import get_variable_trace_string as get_variable_trace_string
from theano._src.ground.errors import (
    CachedConstantError as CachedConstantError,
    InconsistencyError as InconsistencyError,
    MissingInputError as MissingInputError,
)
from theano._src.types.null import NullType as NullType
