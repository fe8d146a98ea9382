# Written by tools/stubs.py from utils.py: change that file.
from theano._src.graph.source_line import (
    add_tag_trace as add_tag_trace,
    get_variable_trace_string as get_variable_trace_string,
)
from theano._src.ground.errors import TestValueError as TestValueError
from theano._src.ground.utils import (
    MethodNotDefined as MethodNotDefined,
    Scratchpad as Scratchpad,
    simple_extract_stack as simple_extract_stack,
    toposort as toposort,
    object2 as _object2,
)

MetaObject = _object2
