"""An op that opens the debugger."""

from theano._src.ops.meta.pdb_breakpoint import PdbBreakpoint as PdbBreakpoint
