"""The type of lists, and how they are shared."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.types.typed_list import (
    TypedListType as TypedListType,
    typed_list_constructor as typed_list_constructor,
)

__getattr__ = _module_getattr(__name__)
