"""CalledProgram: runs the function that a user's linker returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.engines.errstate import error_state
from theano._src.engines.link import Cells, Program, copied, overwritten_state
from theano._src.graph.fg import FunctionGraph
from theano._src.types.shared import Cell, Container, on_host


def as_program(
    program: Any, fgraph: FunctionGraph, ins: Sequence[Container], outs: Sequence[Container]
) -> Program:
    """The result of a linker's ``make_thunk`` as a Program; unchanged if it is one."""
    if isinstance(program, Program):
        return program
    if not callable(program):
        raise TypeError(
            "make_thunk of a linker gives a function of no arguments and the containers of inputs "
            f"and outputs, got {program!r:.80}"
        )
    return CalledProgram(program, fgraph, ins, outs)


class CalledProgram(Program):
    """A function without arguments from cells to cells, with updates stored after it.

    It may return the outputs, or None: then they are read from their containers. Updates are stored
    here unless it has ``need_update_inputs = False``, or returned only the results.
    """

    why = "its linker is a user's own"

    def __init__(
        self,
        run: Callable[[], Any],
        fgraph: FunctionGraph,
        ins: Sequence[Container],
        outs: Sequence[Container],
    ) -> None:
        cells: Cells = {}
        for v, container in (
            *zip(fgraph.inputs, ins, strict=True),
            *zip(fgraph.outputs, outs, strict=True),
        ):
            cells.setdefault(v, container.storage)
        super().__init__(fgraph, cells, fgraph.toposort())
        self.run = run
        self.thunks = list(getattr(run, "thunks", ()))
        self.storage_map = getattr(run, "storage_map", None) or cells
        self._all = [container.storage for container in outs]
        self._held = [ins[i].storage for i in (fgraph.update_mapping or {}).values()]
        self._updated = list(fgraph.update_mapping or {})
        self._state = [cells[v] for v in overwritten_state(fgraph)]
        self._shared: list[list[Any]] = [c.storage for c in ins if isinstance(c.storage, Cell)]

    def __getattr__(self, name: str) -> Any:
        # attributes of the user's function are available on `f.fn`
        if name == "run":
            raise AttributeError(name)
        return getattr(self.run, name)

    def __call__(self, n_calls: int = 1) -> list[Any]:
        results: list[Any] = []
        for _ in range(n_calls):
            results = self._once()
        return results

    def _once(self) -> list[Any]:
        for cell in self._shared:
            cell[0] = on_host(cell[0])  # another engine may have left it on a device
        kept = [cell[0] for cell in self._state]
        for cell in self._state:
            cell[0] = copied(cell[0])
        try:
            with np.errstate(**error_state()):
                given = self.run()
        except BaseException:
            # a call that fails does not change the state
            for cell, value in zip(self._state, kept, strict=True):
                cell[0] = value
            raise
        values = [cell[0] for cell in self._all] if given is None else list(given)
        stores = getattr(self.run, "need_update_inputs", True)
        if stores and len(values) == len(self._all):
            new = [values[o] for o in self._updated]
            for held, value in zip(self._held, new, strict=True):
                held[0] = value
        return values[: self._n_results]
