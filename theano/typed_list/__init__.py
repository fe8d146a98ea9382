"""Lists of values of one type, as values of a graph."""

from theano._src.ground.public import public as _public
from theano._src.ops.typed_list import operators as _operators  # methods of variables

__getattr__ = _public(
    __name__,
    """
    theano.typed_list: basic opt type
    theano.typed_list.basic: *
    theano.typed_list.type: TypedListType
    """,
)
