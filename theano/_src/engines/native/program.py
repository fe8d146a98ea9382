"""Programs of the native engine: machine code with the numpy engine behind.

A call that the native program cannot take, or does not finish, is made by the numpy engine: it
gives the same bits, and its errors are the errors of the call.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.engines.errstate import error_state
from theano._src.engines.link import Job, Program
from theano._src.engines.native.entry import (
    Returns,
    State,
    as_callable,
    given_inputs,
    write_entry,
)
from theano._src.engines.native.forms.table import native_forms
from theano._src.engines.native.ir import Function
from theano._src.engines.native.loops import NotNative, check_layouts, lock_fields
from theano._src.engines.native.lowering import Lowering
from theano._src.engines.native.nests import NO_ROOM, NOT_HERE, ndim_of
from theano._src.engines.native.printers import c99, llvm
from theano._src.engines.node_kinds import is_function
from theano._src.engines.numpy.engine import NumpyProgram
from theano._src.graph.destroy import overwritten_inputs
from theano._src.types.shared import Cell, on_host

#: calls that fail natively and not on NumPy, after which the native program is not tried again
_SURPRISES = 3
#: calls that are left to NumPy after which, if most were, the native program is not tried again
_LEFT = 16
#: bytes from which shared values stay where XLA has left them
_LONG = 1 << 20


class Code:
    """The machine code of a lowered graph: entries and main without optimisation, and kernels."""

    def __init__(self, low: Lowering, entries: Sequence[Function], level: int) -> None:
        self._low = low  # keeps what the table points to
        self.methods: list[Any] = []
        self._names = [f.name for f in low.kernels]
        self._size = len(low.addresses.values) + len(self._names)
        places = {name: len(low.addresses.values) + i for i, name in enumerate(self._names)}
        functions = [low.main, *entries]
        self._main = _module(functions, self._size, {f.name for f in entries}, places, 0)
        self._kernels: list[Any] = []
        #: the care with which the kernels are compiled: more than was asked for, if the disk has it
        self.level = 2
        self.compile_kernels(level)

    def compile_kernels(self, level: int) -> None:
        """Compile the kernels; those that are there are replaced, one by one, while calls go on."""
        values, names = list(self._low.addresses.values), self._names
        modules = [self._main]
        if names:
            modules.append(_module(self._low.kernels, self._size, set(names), {}, level))
            self.level = modules[-1].level
            values += [modules[-1].address(name) for name in names]
            self._kernels.append(modules[-1])  # a call may be in the ones before
        for module in reversed(modules):
            table = (ctypes.c_uint64 * self._size).from_address(module.table)
            for i, value in enumerate(values):
                table[i] = value

    def address(self, name: str) -> int:
        return self._main.address(name)


def _module(
    functions: Sequence[Function],
    table: int,
    exported: set[str],
    elsewhere: dict[str, int],
    level: int,
) -> llvm.Module | c99.Module:
    """Machine code of functions: by LLVM, or by the C compiler where llvmlite is not installed."""
    if llvm.has_llvm():
        text = llvm.module_text(functions, table, exported, elsewhere)
        return llvm.Module(text, level, exported)
    return c99.Module(c99.module_text(functions, table, exported, elsewhere))


class NativeProgram(Program):
    """Machine code of a graph.

    ``lowering`` has its functions in the language of the engine, ``called_back`` the nodes that run
    in Python. ``level`` is the care with which kernels are compiled: 0, 1 or 2.

    Parameters
    ----------
    job : Job
    level : int
    numpy : NumpyProgram, optional
        The same graph on the numpy engine.
    returns : str, optional
        What ``call`` returns, which may stand for the call of a function object.
    beyond : function, optional
        Takes the calls whose inputs are longer than the limits of ``state``. Without it there are
        no limits.
    """

    why = "its linker says so"

    def __init__(
        self,
        job: Job,
        level: int = 2,
        numpy: NumpyProgram | None = None,
        returns: Returns | None = None,
        beyond: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(job.fgraph, job.cells, job.order)
        _check_process(job)
        self.lowering = low = Lowering(job, native_forms)
        self.called_back = low.called_back
        self.numpy = NumpyProgram(job) if numpy is None else numpy
        self._params = given_inputs(low, job.cells)
        self._arguments = [job.cells[job.fgraph.inputs[i]] for i in self._params]
        self._shared = [c for c in map(job.cells.get, job.fgraph.inputs) if isinstance(c, Cell)]
        self.state = State(sum(map(ndim_of, job.fgraph.inputs)))
        if beyond is None:
            self.state.run_limits.open()
        self.alone = self.numpy.alone and not self.called_back
        #: whether the threads of BLAS matter to a call
        self.uses_blas = bool(self.called_back) or low.addresses.has("matmul")
        #: takes the calls that ``call`` does not take
        self.general: list[Callable[..., Any]] = []
        shared = low, job.cells, self._params, self.state
        entries = [write_entry("entry", *shared, [_Elsewhere(self, beyond).call])]
        if returns is not None and (self.alone or _keeps_others_out(low)):
            group = self._shared[0].group.root if self._shared else None
            entries.append(write_entry("call", *shared, self.general, returns, group))
        self.code = Code(low, entries, level)
        self._run = as_callable(self.code.address("entry"), self.code)
        self.returns, self.call = returns, None
        if len(entries) > 1:
            self.call = as_callable(self.code.address("call"), self.code)

    def lengths_of(self, arguments: Sequence[Any]) -> list[int] | None:
        """The lengths of all inputs of a call, or None if one is of another kind."""
        given = dict(zip(self._params, arguments, strict=True))
        lengths: list[int] = []
        for i, v in enumerate(self.lowering.fgraph.inputs):
            if self.lowering.is_object(v):
                continue
            value = given[i] if i in given else self.storage_map[v][0]
            plain = type(value) is np.ndarray and value.dtype == v.type.dtype
            if not plain or value.ndim != v.type.ndim or not value.flags.c_contiguous:
                return None
            lengths += value.shape
        return lengths

    def bring_over(self) -> bool:
        """Take shared values that XLA has left on its device, if they are short; whether any was.

        Long ones stay there, for the functions that run on XLA. The caller has their lock.
        """
        cells = [
            cell
            for cell in self._shared
            if type(cell[0]) is not np.ndarray
            and not cell.on_mesh
            and getattr(cell[0], "nbytes", _LONG) < _LONG
        ]
        for cell in cells:
            cell[0] = on_host(cell[0])
        return any(type(cell[0]) is np.ndarray for cell in cells)

    def direct(self, given: Sequence[int]) -> Callable[..., Any] | None:
        return self._run if list(given) == self._params else None

    def arguments(self) -> list[Any]:
        """The arguments of a call, which are in their cells."""
        return [cell[0] for cell in self._arguments]

    def __call__(self, n_calls: int = 1) -> list[Any]:
        results: list[Any] = []
        for _ in range(n_calls):
            results = self._run(*self.arguments())
        for cell, value in zip(self._outputs, results, strict=False):
            cell[0] = value
        return results


class _Elsewhere:
    """Takes the calls that machine code has left: with more memory, or on the numpy engine."""

    def __init__(self, program: NativeProgram, beyond: Callable[..., Any] | None) -> None:
        self._program, self._beyond = program, beyond
        self._surprises = self._left = 0

    def call(self, *arguments: Any) -> list[Any]:
        program, state = self._program, self._program.state
        code, needed = state.take_code()
        if code == NO_ROOM and needed <= state.most:
            state.grow(2 * needed)
            results: list[Any] = program._run(*arguments)
            return results
        if code == 0 and program.bring_over():
            results = program._run(*arguments)
            return results
        if code == 0 and self._beyond is not None:
            results = self._beyond(*arguments)
            return results
        results = program.numpy._run(*arguments)
        if code > 0:
            self._surprises += 1
            if self._surprises >= _SURPRISES:
                state.on = False
                program.why = f"{program.nodes[code - 1]} stops the native program"
        elif code == NOT_HERE:
            self._left += 1
            if self._left >= _LEFT and 2 * self._left > state.taken:
                state.on = False
                program.why = "most calls have values that are left to NumPy"
        return results


def _keeps_others_out(low: Lowering) -> bool:
    """Whether calls may read and update shared variables with no Python that takes their lock."""
    if low.runs_python or not all(map(is_function, low.order)):
        return False
    inputs = [low.fgraph.inputs[i] for i in (low.fgraph.update_mapping or {}).values()]
    if not all(isinstance(low.cells[v], Cell) for v in inputs):
        return False
    try:
        lock_fields()
    except NotNative:
        return False
    return True


def _check_process(job: Job) -> None:
    """Refuse what the native engine does not do: NotNative says what."""
    if job.times is not None or job.guard is not None:
        raise NotNative("it is profiled or guarded node by node")
    if overwritten_inputs(job.fgraph):
        raise NotNative("it overwrites its inputs")
    if set(error_state().values()) - {"ignore"}:
        raise NotNative("NumPy is set to report floating-point errors")
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        raise NotNative("this Python runs without the interpreter's lock (the GIL)")
    if not llvm.has_llvm() and (why := c99.why_not()):
        raise NotNative(f"llvmlite is not installed, and C cannot be compiled: {why}")
    check_layouts()
