"""Ops of typed lists, and the variables that have them as methods."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.typed_list.editing: Append Extend Insert MakeList Remove Reverse append
        extend insert make_list remove reverse
    theano._src.ops.typed_list.reading: Count GetItem Index Length count getitem index_ length
    theano._src.types.typed_list: TypedListConstant TypedListSharedVariable TypedListType
        TypedListVariable _typed_list_py_operators
    """,
)
