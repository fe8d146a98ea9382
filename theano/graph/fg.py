"""FunctionGraph and its errors."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.graph.fg: FunctionGraph
    theano._src.ground.errors: InconsistencyError MissingInputError
    """,
)
