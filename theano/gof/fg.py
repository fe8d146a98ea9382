"""FunctionGraph and its errors."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.graph.fg: FunctionGraph
    theano._src.graph.source_line: get_variable_trace_string
    theano._src.ground.errors: CachedConstantError InconsistencyError MissingInputError
    theano._src.types.null: NullType
    """,
)
