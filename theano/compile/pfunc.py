"""Functions of graphs with shared variables."""

from theano._src.compile.function import pfunc
from theano._src.compile.io import Param

__all__ = ["Param", "pfunc"]
