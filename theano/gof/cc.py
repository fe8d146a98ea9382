"""The linker called c|py."""

from theano._src.engines.named import OpWiseCLinker

__all__ = ["OpWiseCLinker"]
