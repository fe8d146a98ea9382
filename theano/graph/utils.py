"""Small helpers."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.graph.source_line: add_tag_trace get_variable_trace_string
    theano._src.ground.errors: TestValueError
    theano._src.ground.utils: MethodNotDefined Scratchpad simple_extract_stack toposort
        MetaObject=object2
    """,
)
