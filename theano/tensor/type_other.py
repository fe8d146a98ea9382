"""Slices and None as values of a graph."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.index.slice_values: MakeSlice as_int_none_variable make_slice
    theano._src.types.other: NoneConst NoneTypeT SliceConstant SliceType none_type_t slicetype
    """,
)
