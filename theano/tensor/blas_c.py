"""The product of a matrix and a vector by its name in C: here it is the one op."""

from theano._src.ops.blas import Gemv as CGemv
from theano._src.ops.blas import Ger as CGer

__all__ = ["CGemv", "CGer"]
