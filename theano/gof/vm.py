"""The linker called vm."""

from theano._src.engines.documented_linkers import VM_Linker as VM_Linker
