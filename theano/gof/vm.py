"""The linker called vm, and what runs thunks."""

from theano._src.engines.linkers.documented import VM_Linker as VM_Linker
from theano._src.engines.linkers.vm import VM as VM, Loop as Loop, LoopGC as LoopGC, Stack as Stack
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
