"""The type of lists, and how they are shared."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    "theano._src.types.typed_list: TypedListType typed_list_constructor",
)
