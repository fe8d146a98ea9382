# Written by tools/stubs.py from type.py: change that file.
from theano._src.types.typed_list import (
    TypedListType as TypedListType,
    typed_list_constructor as typed_list_constructor,
)
