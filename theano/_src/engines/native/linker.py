"""The linker ``native``: nothing of the engine is loaded before it makes a program."""

from __future__ import annotations

import logging
from typing import Any

from theano._src.engines.link import Cells, Linker, Program
from theano._src.engines.numpy.engine import NumpyProgram
from theano._src.graph.graph import Apply
from theano._src.ground.lazy import at_first_use

_native_program = at_first_use("theano._src.engines.native.program:NativeProgram")
_not_native = at_first_use("theano._src.engines.native.loops:NotNative")

log = logging.getLogger("theano.native")


class NativeLinker(Linker):
    """Compiles every function to machine code, for arrays of all lengths: the linker ``native``.

    What cannot be compiled runs on NumPy; ``program.why`` says why.
    """

    def __init__(self, allow_gc: bool | None = None, schedule: Any = None, level: int = 2) -> None:
        super().__init__(allow_gc, schedule)
        self.level = level

    def make_program(self, cells: Cells, order: list[Apply]) -> Program:
        job = self.job(cells, order)
        try:
            program: Program = _native_program()(job, self.level)
            return program
        except _not_native() as e:
            why = f"it has no native form: {e}"
        except Exception as e:  # a fault of the engine; the function runs all the same
            log.warning("a function stays on NumPy: its native program was not made", exc_info=e)
            why = f"its native program was not made: {e!r}"
        on_numpy = NumpyProgram(job)
        on_numpy.why = why
        return on_numpy
