# Written by tools/stubs.py from blas_scipy.py: change that file.
from theano._src.ops.linalg.blas import Ger as Ger, ger as ger, ger_destructive as ger_destructive
from theano._src.ops.linalg.scipy_blas import have_fblas as have_fblas

ScipyGer = Ger
scipy_ger_inplace = ger_destructive
scipy_ger_no_inplace = ger
