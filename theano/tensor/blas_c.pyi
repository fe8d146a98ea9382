# Written by tools/stubs.py from blas_c.py: change that file.
from theano._src.ops.linalg.blas import (
    Gemv as _Gemv,
    Ger as _Ger,
    gemv_inplace as _gemv_inplace,
    gemv_no_inplace as _gemv_no_inplace,
    ger_destructive as _ger_destructive,
    ger as _ger,
)

CGemv = _Gemv
CGer = _Ger
cgemv_inplace = _gemv_inplace
cgemv_no_inplace = _gemv_no_inplace
cger_inplace = _ger_destructive
cger_no_inplace = _ger
