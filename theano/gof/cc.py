"""The linker called c|py."""

from theano._src.engines.dual import DualLinker
from theano._src.engines.named import OpWiseCLinker

__all__ = ["DualLinker", "OpWiseCLinker"]
