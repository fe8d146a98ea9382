"""Linkers and containers."""

from theano._src.engines.error_report import raise_with_op
from theano._src.engines.link import Linker, LocalLinker, PerformLinker, map_storage
from theano._src.engines.wrap_linker import WrapLinker, WrapLinkerMany
from theano._src.types.shared import Container

__all__ = [
    "Container",
    "Linker",
    "LocalLinker",
    "PerformLinker",
    "WrapLinker",
    "WrapLinkerMany",
    "map_storage",
    "raise_with_op",
]
