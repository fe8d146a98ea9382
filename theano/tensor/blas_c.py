"""Products with vectors by their names in C: here they are the one op."""

from theano._src.ops.linalg.blas import (
    Gemv as CGemv,
    Ger as CGer,
    gemv_inplace as cgemv_inplace,
    gemv_no_inplace as cgemv_no_inplace,
    ger as cger_no_inplace,
    ger_destructive as cger_inplace,
)

__all__ = [
    "CGemv",
    "CGer",
    "cgemv_inplace",
    "cgemv_no_inplace",
    "cger_inplace",
    "cger_no_inplace",
]
