"""Small helpers."""

from theano._src.graph.source_line import (
    add_tag_trace as add_tag_trace,
    get_variable_trace_string as get_variable_trace_string,
)
from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ground.errors import TestValueError as TestValueError
from theano._src.ground.utils import (
    MethodNotDefined as MethodNotDefined,
    Scratchpad as Scratchpad,
    object2 as _object2,
    simple_extract_stack as simple_extract_stack,
    toposort as toposort,
)

MetaObject = _object2

__getattr__ = _module_getattr(__name__)
