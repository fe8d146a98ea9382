"""Compiling in a thread, while calls go on with NumPy (``config.xla.background``).

A second program for the same graph, with storage of its own, makes the call that compiles; the
first program then takes over its compiled stages. The thread reads and writes nothing that the user
can see.
"""

from __future__ import annotations

import copy
import sys
import threading
from collections.abc import Callable
from time import perf_counter, sleep
from typing import Any

import numpy as np

from theano._src.engines.blas_threads import blas_threads
from theano._src.engines.jax import backend
from theano._src.engines.jax.progress import compiles_aside
from theano._src.engines.link import Cells
from theano._src.engines.xla.linker import XlaProgram
from theano._src.graph.graph import Constant, Variable
from theano._src.types.shared import Cell, on_host

_one_at_a_time = threading.Lock()
#: threads that compile, or are about to
running: list[threading.Thread] = []
#: seconds for which the thread holds the interpreter, and for which it pauses at most; the least
#: pause as a fraction of that
_TURN, _LEAST = 0.002, 0.25
#: the time on XLA of calls that take a second on NumPy, for the key that is being compiled
_worth = [1.0]
#: the longest pause of a call for the thread, in seconds
_LONGEST = 0.05


def compile_aside(
    program: XlaProgram,
    done: Callable[[BaseException | None, float], None],
    worth: float = 1.0,
) -> None:
    """Start to compile ``program`` for the current values of its inputs.

    All its nodes must be pure functions: the thread runs them once more.

    Parameters
    ----------
    program : XlaProgram
    done : function
        Called in the thread, with the error or None, and the seconds that compiling took.
    worth : float
        The value of a second of NumPy calls meanwhile, in seconds on XLA: with 1 the thread holds
        the interpreter for half of the time, and for up to four fifths with less.
    """
    # here, not in the thread: both read many files, and the thread would wait 5 ms for the
    # interpreter after each of them, a minute in all if calls never release it
    why = backend.missing()
    blas_threads.look()
    values = {v: _own(program.storage_map[v][0]) for v in program.fgraph.inputs}

    def work() -> None:
        error: BaseException | None = None
        seconds = 0.0
        compiles_aside()
        sys.setprofile(Paced(worth))
        _worth[0] = max(worth, 0.01)
        try:
            with _one_at_a_time, blas_threads.beside_compiling():
                if not threading.main_thread().is_alive():
                    return  # the process ends: compiled code has no use any more
                if why is not None:
                    raise ImportError(why)
                start = perf_counter()
                twin = _twin(program, values)
                twin()
                seconds = perf_counter() - start
            _hand_over(twin, program)
        except BaseException as e:
            error = e
        done(error, seconds)
        running.remove(thread)

    # not a daemon: a process must not end while XLA works
    thread = threading.Thread(target=work, name="theano-xla-compile")
    running.append(thread)
    thread.start()


class Paced:
    """A profile function that releases the interpreter lock for a moment after each turn.

    Tracing is Python. A call on NumPy releases the lock in each of its loops, and would wait 5 ms
    each time to get it back: a call with a thousand loops would take as long as the tracing.
    """

    def __init__(self, worth: float) -> None:
        self._since = perf_counter()
        self._turn = _TURN
        self._pause = _TURN * min(1.0, max(_LEAST, worth))

    def __call__(self, frame: Any, event: str, arg: Any) -> None:
        start = perf_counter()
        if start - self._since > self._turn:
            sleep(self._pause)
            self._since = perf_counter()
            # calls that never release the lock give it back after 5 ms: the thread has it as long
            self._turn = max(_TURN, self._since - start)


def give_way(seconds: float) -> None:
    """Pause after a call of so many seconds on NumPy, for longer the faster XLA would be.

    A call that never releases the interpreter lock leaves the thread half of the time at most, and
    uses a processor that XLA's compiler could use.
    """
    if running and _worth[0] < 1.0:
        sleep(min(seconds * (1.0 / _worth[0] - 1.0) / 2, _LONGEST))


def is_compiling() -> bool:
    """Whether a thread compiles, or is about to: calls meanwhile take longer."""
    return bool(running)


def finish() -> None:
    """Wait for the running compilations."""
    for thread in list(running):
        thread.join()


def _twin(program: XlaProgram, values: dict[Variable, Any]) -> XlaProgram:
    """The same program with these input values and storage of its own."""
    inputs = set(program.fgraph.inputs)
    cells: Cells = {}
    for v, cell in program.storage_map.items():
        if v in inputs:
            cells[v] = Cell(values[v]) if isinstance(cell, Cell) else [values[v]]
        else:
            cells[v] = cell if isinstance(v, Constant) else [None]
    times = None if program.times is None else program.times.separate()
    twin = XlaProgram(program.job._replace(cells=cells, times=times))
    twin._volatile.update(program._volatile)
    twin._loose.update(program._loose)
    twin._on_host.update(program._on_host)
    twin._stage()
    return twin


def _own(value: Any) -> Any:
    value = on_host(value)
    return np.array(value) if isinstance(value, np.ndarray) else copy.deepcopy(value)


def _hand_over(twin: XlaProgram, program: XlaProgram) -> None:
    """Move compiled stages from ``twin`` to ``program``, unless that has other stages by now."""
    if [list(map(str, p.nodes)) for p in twin.stages] != [
        list(map(str, p.nodes)) for p in program.stages
    ]:
        return
    for result, stage in zip(twin.stages, program.stages, strict=True):
        stage.flagged.update(result.flagged)
        stage.needs.update(result.needs)
        stage.keys_seen.update(result.keys_seen)
        stage.compilations += result.compilations
        stage.compiled_for += result.compiled_for
        stage.table.update(result.table)
