"""Functions of graphs with shared variables."""

from theano._src.compile.function import (
    pfunc as pfunc,
    rebuild_collect_shared as rebuild_collect_shared,
)
from theano._src.compile.io import Param as Param
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
