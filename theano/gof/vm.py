"""The linker called vm."""

from theano._src.engines.documented_linkers import VM_Linker as VM_Linker
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
