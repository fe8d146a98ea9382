# Written by tools/stubs.py from type_other.py: change that file.
from theano._src.ops.index.slice_values import (
    MakeSlice as MakeSlice,
    as_int_none_variable as as_int_none_variable,
    make_slice as make_slice,
)
from theano._src.types.other import (
    NoneConst as NoneConst,
    NoneTypeT as NoneTypeT,
    SliceConstant as SliceConstant,
    SliceType as SliceType,
    none_type_t as none_type_t,
    slicetype as slicetype,
)
