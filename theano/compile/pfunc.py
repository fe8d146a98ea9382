"""Functions of graphs with shared variables."""

from theano._src.compile.function import pfunc, rebuild_collect_shared
from theano._src.compile.io import In, Out, Param

__all__ = ["In", "Out", "Param", "pfunc", "rebuild_collect_shared"]
