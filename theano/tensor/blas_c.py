"""Products with vectors by their names in C: here they are the one op."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.linalg import blas as _blas

CGemv = _blas.Gemv
CGer = _blas.Ger
cgemv_inplace = _blas.gemv_inplace
cgemv_no_inplace = _blas.gemv_no_inplace
cger_inplace = _blas.ger_destructive
cger_no_inplace = _blas.ger

__getattr__ = _module_getattr(__name__)
