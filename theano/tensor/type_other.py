"""Slices and None as values of a graph."""

from theano._src.ground.absent import module_getattr as _module_getattr
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

__getattr__ = _module_getattr(__name__)
