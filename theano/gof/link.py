"""Linkers and containers."""

from theano._src.engines.blame import raise_with_op
from theano._src.engines.link import Linker, PerformLinker, map_storage
from theano._src.types.shared import Container

__all__ = ["Container", "Linker", "PerformLinker", "map_storage", "raise_with_op"]
