"""Slices and None as values of a graph."""

from theano._src.ops.index.slice_values import MakeSlice, as_int_none_variable, make_slice
from theano._src.types.other import (
    NoneConst,
    NoneTypeT,
    SliceConstant,
    SliceType,
    none_type_t,
    slicetype,
)

__all__ = [
    "MakeSlice",
    "NoneConst",
    "NoneTypeT",
    "SliceConstant",
    "SliceType",
    "as_int_none_variable",
    "make_slice",
    "none_type_t",
    "slicetype",
]
