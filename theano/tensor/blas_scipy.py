"""The rank-one update by its name in SciPy: here it is the one op."""

from theano._src.ops.linalg.blas import (
    Ger,
    Ger as ScipyGer,
    ger,
    ger as scipy_ger_no_inplace,
    ger_destructive,
    ger_destructive as scipy_ger_inplace,
)
from theano._src.ops.linalg.scipy_blas import have_fblas

__all__ = [
    "Ger",
    "ScipyGer",
    "ger",
    "ger_destructive",
    "have_fblas",
    "scipy_ger_inplace",
    "scipy_ger_no_inplace",
]
