"""Linkers and containers."""

from theano._src.engines.error_report import raise_with_op as raise_with_op
from theano._src.engines.link import (
    Linker as Linker,
    LocalLinker as LocalLinker,
    PerformLinker as PerformLinker,
    map_storage as map_storage,
)
from theano._src.engines.wrap_linker import (
    WrapLinker as WrapLinker,
    WrapLinkerMany as WrapLinkerMany,
)
from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.types.shared import Container as Container

__getattr__ = _module_getattr(__name__)
