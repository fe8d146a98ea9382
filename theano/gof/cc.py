"""The linker called c|py."""

from theano._src.engines.documented_linkers import OpWiseCLinker
from theano._src.engines.dual_linker import DualLinker

__all__ = ["DualLinker", "OpWiseCLinker"]
