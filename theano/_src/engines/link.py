"""The Linker contract: turn a graph into a program that runs on storage cells."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Sequence
from itertools import repeat
from operator import setitem
from typing import Any, NamedTuple

import numpy as np

from theano._src.engines.error_report import raise_with_op
from theano._src.engines.errstate import error_state
from theano._src.engines.node_times import NodeTimes
from theano._src.engines.value_guard import Guard
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.testvalue import thunk_of
from theano._src.graph.walk import view_roots
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.types.memory import own_copy
from theano._src.types.run_node import fitted
from theano._src.types.shared import Cell, Container, on_host
from theano._src.types.tensor import TensorType

Cells = dict[Variable, list[Any]]


class Job(NamedTuple):
    """The graph that a program runs, and how it runs it.

    ``order`` has its nodes as they are to run, ``gc`` drops values that nothing reads later.
    ``times`` is filled in by each call, ``guard`` looks at each value.
    """

    fgraph: FunctionGraph
    cells: Cells
    order: list[Apply]
    gc: bool = True
    times: NodeTimes | None = None
    guard: Guard | None = None


@documented_in("theano.gof.link")
class Linker:
    """Base class of the objects that turn a FunctionGraph into something that runs.

    ``accept(fgraph)`` binds the linker to a graph. ``make_thunk`` returns a program without
    arguments, the containers of the inputs and the containers of the outputs. The program reads
    the input cells, writes the output cells and stores updates last.
    """

    allow_gc: bool = True
    fgraph: FunctionGraph
    #: maps the graph to the list of its nodes in the order in which they run
    order_by: Callable[[FunctionGraph], list[Apply]] | None = None
    #: tags of rewrites that are excluded for this linker
    leaves_out: tuple[str, ...] = ("sparse_to_xla",)
    #: checks every value, if the mode wants that
    guard: Guard | None = None

    def __init__(
        self,
        allow_gc: bool | None = None,
        schedule: Callable[[FunctionGraph], list[Apply]] | None = None,
    ) -> None:
        self.allow_gc = bool(config.allow_gc) if allow_gc is None else allow_gc
        self.order_by = schedule
        self.fgraph = None  # type: ignore[assignment]

    def accept(
        self, fgraph: FunctionGraph, no_recycling: Any = None, profile: Any = None
    ) -> Linker:
        """Return this linker, or a copy of it, bound to ``fgraph``."""
        if getattr(self, "fgraph", None) is not None and self.fgraph is not fgraph:
            return self.clone().accept(fgraph, no_recycling, profile)
        self.fgraph = fgraph
        self.no_recycling = list(no_recycling or ())
        self.profile = profile
        return self

    def clone(self, allow_gc: bool | None = None) -> Linker:
        linker = copy.copy(self)
        linker.fgraph = None  # type: ignore[assignment]
        if allow_gc is not None:
            linker.allow_gc = allow_gc
        return linker

    def schedule(self, fgraph: FunctionGraph) -> list[Apply]:
        """Return the nodes in the order in which they run."""
        return fgraph.toposort() if self.order_by is None else list(self.order_by(fgraph))

    def make_program(self, cells: Cells, order: list[Apply]) -> Program:
        raise NotImplementedError(f"{type(self).__name__} does not say how a graph runs")

    def job(self, cells: Cells, order: list[Apply]) -> Job:
        """The program of `make_program`, with the times that the function's profile needs."""
        wanted = getattr(getattr(self, "profile", None), "times_for", None)
        times: NodeTimes | None = None if wanted is None else wanted(self.fgraph, order)
        return Job(self.fgraph, cells, order, self.allow_gc, times, self.guard)

    def make_thunk(
        self,
        input_storage: Sequence[list[Any]] | None = None,
        output_storage: Sequence[list[Any]] | None = None,
        storage_map: Cells | None = None,
    ) -> tuple[Program, list[Container], list[Container]]:
        program, ins, outs = self.make_all(input_storage, output_storage, storage_map)[:3]
        return program, ins, outs

    def make_all(
        self,
        input_storage: Sequence[list[Any]] | None = None,
        output_storage: Sequence[list[Any]] | None = None,
        storage_map: Cells | None = None,
    ) -> tuple[Any, ...]:
        """Return the program, input containers, output containers, thunks and order."""
        order = self.schedule(self.fgraph)
        ins, outs, cells = map_storage(
            self.fgraph, order, input_storage, output_storage, storage_map
        )
        program = self.make_program(cells, order)
        containers = [
            [Container(v, cell) for v, cell in zip(vs, result, strict=True)]
            for vs, result in ((self.fgraph.inputs, ins), (self.fgraph.outputs, outs))
        ]
        return program, containers[0], containers[1], program.thunks, order

    def make_function(self, unpack_single: bool = True, **kwargs: Any) -> Callable[..., Any]:
        """Return a Python function of the input values."""
        program, ins, outs = self.make_thunk(**kwargs)

        def run(*args: Any) -> Any:
            if len(args) != len(ins):
                raise TypeError(f"function takes {len(ins)} arguments, got {len(args)}")
            for value, container in zip(args, ins, strict=True):
                container.data = value
            values = program()
            if values is None:  # the program of a user's linker may return nothing
                values = [container.data for container in outs]
            return values[0] if unpack_single and len(values) == 1 else values

        return run


def map_storage(
    fgraph: FunctionGraph,
    order: list[Apply],
    input_storage: Sequence[list[Any]] | None,
    output_storage: Sequence[list[Any]] | None,
    storage_map: Cells | None = None,
) -> tuple[list[list[Any]], list[list[Any]], Cells]:
    """Return one cell for each variable; cells given for inputs and outputs are reused.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> graph = theano.gof.FunctionGraph([x], [x + 1])
    >>> cells = theano.gof.link.map_storage(graph, graph.toposort(), None, None)[2]
    >>> len(cells) == len(graph.variables)
    True
    """
    cells: Cells = {} if storage_map is None else storage_map
    if input_storage is None:
        input_storage = [[None] for _ in fgraph.inputs]
    for v, cell in zip(fgraph.inputs, input_storage, strict=True):
        cells[v] = cell
    if output_storage is not None:
        for v, cell in zip(fgraph.outputs, output_storage, strict=True):
            cells.setdefault(v, cell)
    for node in order:
        for v in node.inputs:
            if v not in cells:
                cells[v] = [v.data if isinstance(v, Constant) else None]
        for v in node.outputs:
            cells.setdefault(v, [None])
    for v in fgraph.outputs:
        if v not in cells:
            cells[v] = [v.data if isinstance(v, Constant) else None]
    return list(input_storage), [cells[v] for v in fgraph.outputs], cells


def _store(cells: Sequence[list[Any]], values: Sequence[Any]) -> None:
    """Put values into cells, entirely in C: an interrupt cannot come between two of them."""
    deque(map(setitem, cells, repeat(0), values), maxlen=0)


class Program:
    """The result of a Linker: a call runs the graph, stores updates, and returns the outputs.

    A call that raises stores nothing.
    """

    thunks: list[Any]
    nodes: list[Apply]
    position_of_error: int = -1
    profile: Any = None
    #: whether ``direct`` uses nothing but its arguments, so that threads need no lock
    alone: bool = False
    #: why it runs on this engine
    why: str = "its linker says so"

    def __init__(self, fgraph: FunctionGraph, cells: Cells, order: list[Apply]) -> None:
        self.nodes = order
        self.thunks = []
        self.storage_map = cells
        mapping = fgraph.update_mapping or {}
        self._outputs = [cells[v] for v in fgraph.outputs]
        self._n_results = len(fgraph.outputs) - len(mapping)
        self._updates = [
            (cells[fgraph.inputs[i]], cells[fgraph.outputs[o]]) for o, i in mapping.items()
        ]

    def run_nodes(self) -> None:
        raise NotImplementedError

    #: whether ``takes_as_is`` is ever true
    for_jax: bool = False

    def takes_as_is(self, value: Any) -> bool:
        """Whether a jax array may be passed as it is; others are checked on the host."""
        return False

    def direct(self, given: Sequence[int]) -> Callable[..., Any] | None:
        """A function of the values of the inputs at these positions, in that order, or None.

        The function returns the outputs and stores updates. It does not touch the cells of other
        inputs or of outputs. It returns None, without doing anything, for a call that must go
        through the cells.
        """
        return None

    def __call__(self, n_calls: int = 1) -> list[Any]:
        for _ in range(n_calls):
            self.run_nodes()
            new = [result[0] for _, result in self._updates]
            _store([held for held, _ in self._updates], new)
        return [cell[0] for cell in self._outputs[: self._n_results]]


class ThunkProgram(Program):
    """A program of one thunk per node; a value is dropped after the last node that needs it.

    ``around(i, node, thunk)`` is called instead of each thunk, and may call it.
    ``after(node, thunk)`` is called once the outputs are computed. ``given(variable, value)`` is
    called for each input and constant before a run. ``times`` records the duration of each node.
    ``impl`` is passed to the ``make_thunk`` of ops: ``'py'`` means no C code.
    """

    around: Callable[..., Any] | None = None
    given: Callable[[Variable, Any], Any] | None = None
    after: Callable[[Apply, Any], Any] | None = None

    def __init__(self, job: Job, impl: str | None = None) -> None:
        fgraph, cells, order, gc, times, self.guard = job
        super().__init__(fgraph, cells, order)
        computed: Cells = {v: [v.owner is None] for v in cells}
        self.compute_map = computed
        for node in order:
            prepare = getattr(node.op, "prepare_node", None)
            if prepare is not None:
                prepare(node, cells, computed, "py")
            try:
                self.thunks.append(make_thunk(node, cells, computed, impl))
            except Exception as e:
                raise_with_op(node, None, e)
        if times is not None:
            steps = enumerate(zip(order, self.thunks, strict=True))
            self.thunks = [times.thunk(i, node, step, cells) for i, (node, step) in steps]
        self._dead = dead_after(fgraph, order, cells) if gc else [[] for _ in order]
        self._computed = [computed[v] for node in order for v in node.outputs]
        self._output_cells = [[cells[v] for v in node.outputs] for node in order]
        self._state = [cells[v] for v in overwritten_state(fgraph)]
        self._shared = [cells[v] for v in fgraph.inputs if isinstance(cells[v], Cell)]
        self._from_outside = fgraph.inputs

    def run_nodes(self) -> None:
        for cell in self._shared:
            cell[0] = on_host(cell[0])  # the other engine may have left it on a device
        if not self._state:
            return self._run_all()
        kept = [cell[0] for cell in self._state]
        for cell in self._state:
            cell[0] = copied(cell[0])
        try:
            self._run_all()
        except BaseException:
            # a call that fails does not change the state
            _store(self._state, kept)
            raise

    def _run_all(self) -> None:
        for flag in self._computed:
            flag[0] = False
        # an op may write into its output storage, which now belongs to the caller or to a state
        for item in self._output_cells:
            for cell in item:
                cell[0] = None
        with np.errstate(**error_state()):
            self._run_thunks()

    def _run_thunks(self) -> None:
        if self.guard is not None:
            self.guard.check_given(self._from_outside, self.storage_map)
        if self.given is not None:
            for v, cell in self.storage_map.items():
                if v.owner is None:
                    self.given(v, cell[0])
        for i, (node, step) in enumerate(zip(self.nodes, self.thunks, strict=True)):
            try:
                if self.around is None:
                    step()
                else:
                    self.around(i, node, step)
                for k, cell in enumerate(self._output_cells[i]):
                    if cell[0] is not None or self.around is None:
                        cell[0] = fitted(node, k, cell[0])
                if self.guard is not None:
                    self.guard.check_all(node, [cell[0] for cell in self._output_cells[i]])
                if self.after is not None:
                    self.after(node, step)
            except Exception as e:
                self.position_of_error = i
                values = [self.storage_map[v][0] for v in node.inputs]
                if self.guard is not None:
                    self.guard.look_inside(node, values, e)
                raise_with_op(node, values, e, i)
            for cell in self._dead[i]:
                cell[0] = None


def make_thunk(
    node: Apply, cells: Cells, computed: Cells, impl: str | None = None
) -> Callable[[], Any]:
    """Return the thunk of one node, from whichever documented method its op implements."""
    if not hasattr(node.op, "make_thunk"):
        raise TypeError(f"{node.op} is not an Op: it has no make_thunk")
    thunk = thunk_of(node.op, node, cells, computed, impl)
    if not hasattr(thunk, "inputs"):
        thunk.inputs = [cells[v] for v in node.inputs]  # type: ignore[attr-defined]
        thunk.outputs = [cells[v] for v in node.outputs]  # type: ignore[attr-defined]
    return thunk


def copied(value: Any) -> Any:
    """A copy of a state that nodes may write to; None, which a user may set, stays None."""
    return value if value is None else own_copy(value)


def overwritten_state(fgraph: FunctionGraph) -> set[Variable]:
    """The updated inputs whose memory some node writes to.

    Nodes get a copy of such a value: if a later node fails, the state must be unchanged.
    """
    state = {fgraph.inputs[i] for i in (fgraph.update_mapping or {}).values()}
    return {
        root
        for node in fgraph.apply_nodes
        for positions in (getattr(node.op, "destroy_map", None) or {}).values()
        for i in positions
        for root in view_roots(node.inputs[i])
        if root in state and (isinstance(root.type, TensorType) or root.type.holds_values)
    }


def dead_after(fgraph: FunctionGraph, order: list[Apply], cells: Cells) -> list[list[list[Any]]]:
    """For each node, the cells that it is the last to use, except inputs, constants and outputs."""
    keep = set(fgraph.outputs)
    last: dict[Variable, int] = {}
    for i, node in enumerate(order):
        for v in node.inputs:
            if v.owner is not None and v not in keep:
                last[v] = i
        for v in node.outputs:
            if v not in keep:
                last.setdefault(v, i)
    dead: list[list[list[Any]]] = [[] for _ in order]
    for v, i in last.items():
        dead[i].append(cells[v])
    return dead


@documented_in("theano.gof.link")
class LocalLinker(Linker):
    """A linker with one thunk per node; ``make_all`` returns the thunks in order."""


@documented_in("theano.gof.link")
class PerformLinker(LocalLinker):
    """The linker called ``py``, which runs one ``perform`` at a time.

    ``schedule`` maps the graph to the list of its nodes in the order in which they run.
    """

    def make_program(self, cells: Cells, order: list[Apply]) -> Program:
        return ThunkProgram(self.job(cells, order), "py")
