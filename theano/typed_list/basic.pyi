# Written by tools/stubs.py from basic.py: change that file.
from theano._src.ops.typed_list.editing import (
    Append as Append,
    Extend as Extend,
    Insert as Insert,
    MakeList as MakeList,
    Remove as Remove,
    Reverse as Reverse,
    append as append,
    extend as extend,
    insert as insert,
    make_list as make_list,
    remove as remove,
    reverse as reverse,
)
from theano._src.ops.typed_list.reading import (
    Count as Count,
    GetItem as GetItem,
    Index as Index,
    Length as Length,
    count as count,
    getitem as getitem,
    index_ as index_,
    length as length,
)
from theano._src.types.typed_list import (
    TypedListConstant as TypedListConstant,
    TypedListSharedVariable as TypedListSharedVariable,
    TypedListType as TypedListType,
    TypedListVariable as TypedListVariable,
    _typed_list_py_operators as _typed_list_py_operators,
)
