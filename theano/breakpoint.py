"""A debugger that opens where a condition holds."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.meta.pdb_breakpoint import PdbBreakpoint as PdbBreakpoint

__getattr__ = _module_getattr(__name__)
