"""DualLinker: run each graph with ``perform`` and on the numpy engine, and compare."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from theano._src.engines.link import Cells, Job, PerformLinker, Program, ThunkProgram
from theano._src.engines.numpy.engine import NumpyLinker
from theano._src.graph.graph import Apply
from theano._src.ground.documented import documented_in
from theano._src.types.shared import on_host

#: takes two lists of one value each, and raises if they differ
Checker = Callable[[list[Any], list[Any]], Any]


@documented_in("theano.gof.cc")
class DualLinker(PerformLinker):
    """Runs one ``perform`` at a time, and compares the results with those of the numpy engine.

    The numpy engine runs the C code of ops with C code.

    Parameters
    ----------
    checker : callable, optional
        Called as ``checker([a], [b])`` for each output, with the value of ``perform`` first; it
        must raise if they differ. By default values are compared with the tolerance of their type.
    schedule : callable, optional
        Maps the graph to the list of its nodes in the order in which they run.

    >>> import theano
    >>> from theano import gof, scalar
    >>> x, y = scalar.floats("xy")
    >>> f = gof.DualLinker().accept(gof.FunctionGraph([x, y], [x * y])).make_function()
    >>> float(f(2.0, 3.0))
    6.0
    """

    def __init__(self, checker: Checker | None = None, schedule: Any = None) -> None:
        super().__init__(schedule=schedule)
        self.checker = checker

    def make_program(self, cells: Cells, order: list[Apply]) -> Program:
        return _Twice(self.job(cells, order), self.checker)


class _Twice(ThunkProgram):
    """The thunks of a graph, and a copy of the graph on the numpy engine."""

    def __init__(self, job: Job, checker: Checker | None) -> None:
        super().__init__(job, "py")
        fgraph, cells, *_ = job
        self._checker = checker
        self._kinds = [v.type for v in fgraph.outputs]
        self._given = [cells[v] for v in fgraph.inputs]
        self._compared = [cells[v] for v in fgraph.outputs]
        twin = fgraph.clone()
        # new values of state are compared, not stored
        twin.update_mapping = {}
        self._other, self._taken, _ = NumpyLinker(job.gc).accept(twin).make_thunk()

    def run_nodes(self) -> None:
        for cell, container in zip(self._given, self._taken, strict=True):
            # a copy: either run may overwrite its inputs
            container.storage[0] = copy.copy(on_host(cell[0]))
        super().run_nodes()
        for kind, cell, other in zip(self._kinds, self._compared, self._other(), strict=True):
            if self._checker is not None:
                self._checker([cell[0]], [other])
            elif not kind.values_eq_approx(cell[0], other):
                raise ValueError(
                    f"perform and the numpy engine differ: {cell[0]!r:.80} and {other!r:.80}"
                )
