"""The linker called vm."""

from theano._src.engines.named import VM_Linker

__all__ = ["VM_Linker"]
