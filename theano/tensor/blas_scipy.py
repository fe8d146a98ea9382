"""The rank-one update by its name in SciPy: here it is the one op."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.linalg.blas import Ger as Ger, ger as ger, ger_destructive as ger_destructive
from theano._src.ops.linalg.scipy_blas import have_fblas as have_fblas

ScipyGer = Ger
scipy_ger_inplace = ger_destructive
scipy_ger_no_inplace = ger

__getattr__ = _module_getattr(__name__)
