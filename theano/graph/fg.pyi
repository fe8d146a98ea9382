# Written by tools/stubs.py from fg.py: change that file.
from theano._src.graph.fg import FunctionGraph as FunctionGraph
from theano._src.ground.errors import (
    InconsistencyError as InconsistencyError,
    MissingInputError as MissingInputError,
)
