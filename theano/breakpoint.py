"""A debugger that opens where a condition holds."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.ops.meta.pdb_breakpoint: PdbBreakpoint")
