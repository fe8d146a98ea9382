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
        native, why = native_program(job, self.level)
        program: Program = NumpyProgram(job) if native is None else native
        if native is None:
            program.why = why
        return program


def native_program(*args: Any) -> tuple[Any, str]:
    """A NativeProgram, or None and why there is none."""
    try:
        return _native_program()(*args), ""
    except _not_native() as e:
        return None, f"it has no native form: {e}"
    except Exception as e:  # a fault of the engine; the function runs all the same
        log.info("a function stays on NumPy: its native program was not made", exc_info=e)
        return None, f"its native program was not made: {e!r}"
