"""The numpy engine: runs a graph as one generated Python function of straight-line calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from theano._src.control import inner_run
from theano._src.engines.error_report import last_frame, raise_with_op
from theano._src.engines.link import Cells, Job, Linker, Program, map_storage
from theano._src.engines.node_kinds import is_function
from theano._src.engines.node_times import NodeTimes
from theano._src.engines.numpy.plan import PlanWriter
from theano._src.graph.destroy import DestroyHandler
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.ground.lazy import at_first_use
from theano._src.ops.shape.join import MakeVector

_timed = at_first_use("theano._src.engines.numpy.timed_plan:timed")
_listen = at_first_use("theano._src.engines.numpy.timed_plan:listen")


class NumpyLinker(Linker):
    """The linker called ``numpy``: runs every node on NumPy, without compilation."""

    def make_program(self, cells: Cells, order: list[Apply]) -> Program:
        return NumpyProgram(self.job(cells, order))


class NumpyProgram(Program):
    """The program of the numpy engine: a generated function with one line per node.

    Nothing is recorded while it runs. If a line raises, its number identifies the node, and the
    frame's locals are the node's inputs. With ``times`` the function also records node times.
    """

    writer: type[PlanWriter] = PlanWriter

    def __init__(self, job: Job) -> None:
        fgraph, cells, order, gc, times, guard = job
        super().__init__(fgraph, cells, order)
        self._guard = guard
        kind = self.writer if times is None else _timed()(self.writer)
        writer = kind(fgraph, cells, order, gc, guard)
        text = writer.write()
        self.source = text.source
        if times is not None:
            _listen()(writer, times)
        self._params = writer.params
        self._arguments = [cells[fgraph.inputs[i]] for i in writer.params]
        self._names, self._node_at = writer.names, writer.node_at
        self._stands_for = writer.stands_for
        self.copied, self.undone = writer.copied, writer.undone
        self.alone = (
            not fgraph.update_mapping
            and len(writer.params) == len(fgraph.inputs)
            and all(map(is_function, order))
        )
        text.space["blame"] = self._blame
        self._run: Callable[..., list[Any]] = text.function()

    def direct(self, given: Sequence[int]) -> Callable[..., Any] | None:
        return self._run if list(given) == self._params else None

    def __call__(self, n_calls: int = 1) -> list[Any]:
        results: list[Any] = []
        for _ in range(n_calls):
            results = self._run(*[cell[0] for cell in self._arguments])
        for cell, value in zip(self._outputs, results, strict=False):
            cell[0] = value
        return results

    def _blame(self, error: Exception) -> NoReturn:
        at = last_frame(error, self._run.__code__)
        i = None if at is None else self._node_at.get(at.tb_lineno)
        if i is None:
            raise error
        self.position_of_error = i
        node, space = self.nodes[i], at.tb_frame.f_locals
        values = [self._value(v, space) for v in node.inputs]
        if self._guard is not None:
            self._guard.look_inside(node, values, error)
        raise_with_op(node, values, error, i)

    def _value(self, v: Variable, space: dict[str, Any]) -> Any:
        if isinstance(v, Constant):
            return v.data
        if v in self._stands_for:
            value = self._value(self._stands_for[v], space)
            return np.reshape(value, (1,) * v.type.ndim)
        value = space.get(self._names[v])
        if value is None and v.owner is not None and type(v.owner.op) is MakeVector:
            # a vector of lengths that the plan never builds
            value = [self._value(n, space) for n in v.owner.inputs]
        return np.asarray(value) if isinstance(value, np.generic | int | list) else value


def plan_of(
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    timed: Callable[[FunctionGraph, list[Apply]], NodeTimes] | None = None,
) -> Callable[..., list[Any]]:
    """An op's inner graph as a function of input values; ``timed`` creates its `NodeTimes`."""
    fgraph = FunctionGraph(list(inputs), list(outputs))
    if any(getattr(node.op, "destroy_map", None) for node in fgraph.apply_nodes):
        fgraph.attach_feature(DestroyHandler())  # the order of nodes matters
    order = fgraph.toposort()
    cells = map_storage(fgraph, order, None, None)[2]
    times = None if timed is None else timed(fgraph, order)
    run = NumpyProgram(Job(fgraph, cells, order, times=times)).direct(range(len(inputs)))
    if run is None:
        raise TypeError("a graph inside an op takes all its inputs as arguments")
    return run


inner_run.install(plan_of)
