"""Linkers and containers."""

from theano._src.engines.link import (
    Linker as Linker,
    LocalLinker as LocalLinker,
    PerformLinker as PerformLinker,
)
from theano._src.engines.linkers.wrap import (
    WrapLinker as WrapLinker,
    WrapLinkerMany as WrapLinkerMany,
)
from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.types.shared import Container as Container

__getattr__ = _module_getattr(__name__)
