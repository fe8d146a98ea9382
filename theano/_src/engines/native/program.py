"""The linker ``native``, and the programs that it makes: machine code with the numpy engine behind.

A call that the native program cannot take, or does not finish, is made by the numpy engine: it
gives the same bits, and its errors are the errors of the call.
"""

from __future__ import annotations

import ctypes
import logging
import sys
from collections.abc import Callable, Sequence
from typing import Any

from theano._src.engines.errstate import error_state
from theano._src.engines.link import Cells, Job, Linker, Program
from theano._src.engines.native import c99, llvm
from theano._src.engines.native.entry import State, as_callable, given_inputs, write_entry
from theano._src.engines.native.forms.table import native_forms
from theano._src.engines.native.ir import Function
from theano._src.engines.native.loops import NotNative, check_layouts
from theano._src.engines.native.lowering import Lowering
from theano._src.engines.native.main import NO_ROOM
from theano._src.engines.numpy.engine import NumpyProgram
from theano._src.graph.destroy import overwritten_inputs
from theano._src.graph.graph import Apply

log = logging.getLogger("theano.native")

#: calls that fail natively and not on NumPy, after which the native program is not tried again
_SURPRISES = 3


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
            return NativeProgram(job, self.level)
        except NotNative as e:
            why = f"it has no native form: {e}"
        except Exception as e:  # a fault of the engine; the function runs all the same
            log.warning("a function stays on NumPy: its native program was not made", exc_info=e)
            why = f"its native program was not made: {e!r}"
        program = NumpyProgram(job)
        program.why = why
        return program


class Code:
    """The machine code of a lowered graph: main and entry without optimisation, and kernels."""

    method: Any

    def __init__(self, low: Lowering, entry: Function, level: int) -> None:
        self._low = low  # keeps what the table points to
        values = low.addresses.values
        names = [f.name for f in low.kernels]
        places = {name: len(values) + i for i, name in enumerate(names)}
        size = len(values) + len(names)
        self._modules = [_module([low.main, entry], size, {"entry"}, places, 0)]
        if names:
            self._modules.append(_module(low.kernels, size, set(names), {}, level))
        values = values + [self._modules[-1].address(name) for name in names]
        for module in self._modules:
            table = (ctypes.c_uint64 * size).from_address(module.table)
            for i, value in enumerate(values):
                table[i] = value
        self.address = self._modules[0].address("entry")


def _module(
    functions: Sequence[Function],
    table: int,
    exported: set[str],
    elsewhere: dict[str, int],
    level: int,
) -> llvm.Module | c99.Module:
    """Machine code of functions: by LLVM, or by the C compiler where llvmlite is not installed."""
    if llvm.has_llvm():
        return llvm.Module(llvm.module_text(functions, table, exported, elsewhere), level)
    return c99.Module(c99.module_text(functions, table, exported, elsewhere))


class NativeProgram(Program):
    """Machine code of a graph.

    ``lowering`` has its functions in the language of the engine, ``called_back`` the nodes that run
    in Python. ``level`` is the care with which kernels are compiled: 0, 1 or 2.
    """

    why = "its linker says so"

    def __init__(self, job: Job, level: int = 2) -> None:
        super().__init__(job.fgraph, job.cells, job.order)
        _check_process(job)
        self.lowering = Lowering(job, native_forms)
        self.called_back = self.lowering.called_back
        self.numpy = NumpyProgram(job)
        self._params = given_inputs(self.lowering, job.cells)
        self._arguments = [job.cells[job.fgraph.inputs[i]] for i in self._params]
        self._state = State()
        self._surprises = 0
        # the interpreter's lock is held from the first instruction to the last
        self.alone = self.numpy.alone and not self.called_back
        entry = write_entry(
            self.lowering, job.cells, self._params, self._state, _Elsewhere(self).call
        )
        code = Code(self.lowering, entry, level)
        self._run = as_callable(code.address, code)

    def direct(self, given: Sequence[int]) -> Callable[..., Any] | None:
        return self._run if list(given) == self._params else None

    def __call__(self, n_calls: int = 1) -> list[Any]:
        results: list[Any] = []
        for _ in range(n_calls):
            results = self._run(*[cell[0] for cell in self._arguments])
        for cell, value in zip(self._outputs, results, strict=False):
            cell[0] = value
        return results


class _Elsewhere:
    """Takes the calls that machine code has left: with more memory, or on the numpy engine."""

    def __init__(self, program: NativeProgram) -> None:
        self._program = program

    def call(self, *arguments: Any) -> list[Any]:
        program = self._program
        code, needed = program._state.take_code()
        if code == NO_ROOM:
            program._state.grow(2 * needed)
            results: list[Any] = program._run(*arguments)
            return results
        results = program.numpy._run(*arguments)
        if code:
            program._surprises += 1
            if program._surprises >= _SURPRISES:
                program._state.on = False
                program.why = f"{program.nodes[code - 1]} stops the native program"
        return results


def _check_process(job: Job) -> None:
    """Refuse what the native engine does not do: NotNative says what."""
    if job.times is not None or job.guard is not None:
        raise NotNative("it is profiled or guarded node by node")
    if overwritten_inputs(job.fgraph):
        raise NotNative("it overwrites its inputs")
    if set(error_state().values()) - {"ignore"}:
        raise NotNative("NumPy is set to report floating-point errors")
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        raise NotNative("threads run at the same time")
    if not llvm.has_llvm() and (why := c99.why_not()):
        raise NotNative(f"llvmlite is not installed, and C cannot be compiled: {why}")
    check_layouts()
