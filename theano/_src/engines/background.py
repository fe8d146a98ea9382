"""Compiling in a thread, while calls go on with NumPy (``config.xla.background``).

A second program over the same graph, with storage of its own, makes the call that compiles; what it
compiled then goes to the first. Nothing that the user can see is read or written by the thread.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from theano._src.engines.link import Cells
from theano._src.engines.numpy_engine import is_function
from theano._src.engines.xla.linker import XlaProgram
from theano._src.graph.graph import Constant
from theano._src.types.shared import Cell, on_host

_one_at_a_time = threading.Lock()
_running: list[threading.Thread] = []


def compile_aside(program: XlaProgram, done: Callable[[BaseException | None], None]) -> bool:
    """Start to compile ``program`` for the values that its inputs have now.

    Parameters
    ----------
    program : XlaProgram
    done : function
        Called in the thread, with what went wrong or None.

    Returns
    -------
    bool
        False if nothing was started: a node may do more than give values for values, and must not
        run twice.
    """
    if not all(map(is_function, program.nodes)):
        return False
    twin = _twin(program)

    def work() -> None:
        error: BaseException | None = None
        try:
            with _one_at_a_time:
                twin()
            _hand_over(twin, program)
        except BaseException as e:
            error = e
        done(error)
        _running.remove(thread)

    # not a daemon: a process must not end in the middle of XLA's work
    thread = threading.Thread(target=work, name="theano-xla-compile")
    _running.append(thread)
    thread.start()
    return True


def finish() -> None:
    """Wait for what is being compiled."""
    for thread in list(_running):
        thread.join()


def _twin(program: XlaProgram) -> XlaProgram:
    """The same program on copies of the values."""
    inputs = set(program.fgraph.inputs)
    cells: Cells = {}
    for v, cell in program.storage_map.items():
        if v in inputs:
            value = _own(cell[0])
            cells[v] = Cell(value) if isinstance(cell, Cell) else [value]
        else:
            cells[v] = cell if isinstance(v, Constant) else [None]
    twin = XlaProgram(program.fgraph, cells, program.nodes, program._gc)
    twin._volatile.update(program._volatile)
    twin._loose.update(program._loose)
    twin._on_host.update(program._on_host)
    twin._stage()
    return twin


def _own(value: Any) -> Any:
    value = on_host(value)
    return np.array(value) if isinstance(value, np.ndarray) else copy.deepcopy(value)


def _hand_over(twin: XlaProgram, program: XlaProgram) -> None:
    """Give what ``twin`` compiled to ``program``, unless that is staged in another way by now."""
    if [list(map(str, p.nodes)) for p in twin.stages] != [
        list(map(str, p.nodes)) for p in program.stages
    ]:
        return
    for made, stage in zip(twin.stages, program.stages, strict=True):
        stage.flagged.update(made.flagged)
        stage.keys_seen.update(made.keys_seen)
        stage.compilations += made.compilations
        stage.compiled_for += made.compiled_for
        stage.table.update(made.table)
