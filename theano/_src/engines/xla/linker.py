"""XlaLinker: stage a graph, write its call path, and run it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any, NoReturn

import numpy as np

from theano._src.control.inner_graph import InnerGraph, one_or_all
from theano._src.control.lazy_branches import Branches, chooses
from theano._src.control.lazy_thunk import LazyThunk
from theano._src.engines.error_report import host_call, last_frame, raise_with_op
from theano._src.engines.errstate import error_state
from theano._src.engines.jax import backend
from theano._src.engines.jax.settings import for_runs
from theano._src.engines.link import Cells, Job, Linker, Program, copied, map_storage
from theano._src.engines.mesh.agreement import Disagreement, agreement
from theano._src.engines.mesh.placing import gathered_on_host, joined, local, own_part, placed, same
from theano._src.engines.mesh.plan import MeshPlan, mesh_of
from theano._src.engines.node_kinds import is_function
from theano._src.engines.numpy.engine import NumpyProgram
from theano._src.engines.xla import overwriting
from theano._src.engines.xla.call_source import CallWriter
from theano._src.engines.xla.host_step import on_copies
from theano._src.engines.xla.make_stages import programs_of
from theano._src.engines.xla.program import ChecksBroken, DeviceProgram
from theano._src.engines.xla.replay import Replay, blame, gone, name, rerun
from theano._src.engines.xla.staging import Staging
from theano._src.engines.xla.tracing import RunsOnHost, StateChangesShape
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Variable
from theano._src.ground.lazy import at_first_use
from theano._src.ground.process_group import process_group
from theano._src.types.run_node import has_compiled_form
from theano._src.types.shared import Cell, on_host

_NOTHING = contextlib.nullcontext()
_timed_stage = at_first_use("theano._src.engines.xla.timed_stage:TimedStage")

#: notes for an exception about the state that the call has left
STORED = (
    "The interrupt came while a compiled program ran, which cannot be stopped: the call is "
    "complete, and its updates of shared variables are stored."
)
NOT_STORED = "The interrupted call has updated no shared variable."
STORED_BEFORE = (
    "The error came when the programs of the call had run: its updates of shared variables are "
    "stored."
)


#: on a mesh: the most bytes that are gathered to find the message of a failed check
_REPLAYED_BYTES = 1 << 30


class XlaLinker(Linker):
    """The linker called ``xla``: compiles every graph with XLA."""

    #: tags of rewrites for what XLA does itself: fuse loops, reuse memory, choose kernels for
    #: matrix products; linkers that start on NumPy keep them
    leaves_out = ("fusion", "inplace", "BlasOpt")

    def make_program(self, cells: Cells, order: list[Apply]) -> Program:
        if why := backend.missing(to_load=False):
            raise ImportError(f"the linker 'xla' takes jax: {why}; the linker 'cvm' does without")
        return XlaProgram(self.job(cells, order))


class XlaProgram(Program):
    """The program of a staged graph.

    ``stages`` are its compiled programs, ``source`` is the call path that runs them;
    ``compilations`` counts how often XLA compiled. Nodes at the positions ``host_nodes`` run on
    the host. Each call records into ``times``, a NodeTimes.
    """

    def __init__(self, job: Job, host_nodes: Sequence[int] = ()) -> None:
        fgraph, cells, order, *_ = job
        super().__init__(fgraph, cells, order)
        self.job, self.fgraph = job, fgraph
        self.times, self.guard = job.times, job.guard
        self._numpy: NumpyProgram | None = None
        self._positions = {node: i for i, node in enumerate(order)}
        self._volatile: dict[Variable, None] = {}
        self._loose: set[Variable] = set()
        # a node that is moved to the host while tracing must not make user code run twice in a call
        careful = not all(map(is_function, order))
        choices = [n for n in order if chooses(n.op)] if careful else []
        self._on_host: dict[Apply, None] = dict.fromkeys(choices)
        self._on_host.update(dict.fromkeys(order[i] for i in host_nodes))
        self._branches: dict[InnerGraph, Branch] = {}
        self._retired = 0
        mesh = mesh_of(fgraph, cells)
        self.plan = None if mesh is None else MeshPlan(fgraph, cells, mesh)
        if mesh is not None:
            self.why = f"its values are spread over {mesh}"
        self._stage()

    @property
    def compilations(self) -> int:
        """The number of times that XLA has compiled for this function."""
        own = sum(p.forgotten + len(p.compilations) for p in self.stages)
        return self._retired + own + sum(b.compilations for b in self._branches.values())

    @property
    def settled(self) -> bool:
        """Whether programs depend on nothing but the input shapes of a key."""
        return not self._sized and not self._branches

    # plan

    def _stage(self) -> None:
        self.staging = Staging(self.fgraph, self._volatile, self._on_host)
        kind = DeviceProgram if self.times is None else partial(_timed_stage(), self.times)
        self.stages = programs_of(self.staging, self.storage_map, self._loose, kind, plan=self.plan)
        for program in self.stages:
            program.guard = self.guard
        self._run: Callable[..., list[Any]] | None = None
        self.writer = CallWriter(
            self.staging,
            self.stages,
            self.storage_map,
            self.fgraph.update_mapping or {},
            self._host_call,
            self.plan,
        )
        self._text = self.writer.write()
        self.source = self._text.source
        self._arguments = [self.storage_map[self.fgraph.inputs[i]] for i in self.writer.params]
        # sizes are Python numbers, for which NumPy's error state does not matter
        self._host_work = any(name.startswith("f") for name in self.writer.space)
        self._sized = [p for p in self.stages if p.sizes]

    def _load(self) -> Callable[..., list[Any]]:
        """Load jax, at the first call, and return the call path."""
        begin = perf_counter()
        backend.load()
        if self.times is not None:
            self.times.loaded(begin)
        space = self.writer.space
        space.update(
            ndarray=np.ndarray,
            array=np.array,
            asarray=np.asarray,
            copied=copied,
            extend=list.extend,
            has_room=overwriting.has_room,
            hold=backend.hold_interrupts,
            on_host=on_host,
            owned=backend.owned,
            taken=backend.taken,
            put=_put,
            placed=placed,
            joined=joined,
            own_part=own_part,
            same=same,
            group=process_group,
            meet=agreement.meet,
            one_at_a_time=backend.one_at_a_time,
            ready=backend.ready,
            spared=overwriting.spared,
            writeable=backend.writeable,
            x64=for_runs(),
        )
        run: Callable[..., list[Any]] = self._text.function()
        self._run = run
        return run

    def _loaded(self) -> Callable[..., list[Any]]:
        try:
            return self._load()
        except KeyboardInterrupt as interrupt:
            if self.fgraph.update_mapping:
                interrupt.add_note(NOT_STORED)
            raise

    # running

    def run_nodes(self) -> None:
        raise NotImplementedError("an XlaProgram is called")

    def __call__(self, n_calls: int = 1) -> list[Any]:
        if backend.child.forked:
            backend.child.warn_once()
            return self.on_numpy(n_calls)
        outputs: list[Any] = []
        for _ in range(n_calls):
            outputs = self._on_values([cell[0] for cell in self._arguments])
        for cell, value in zip(self._outputs, outputs, strict=False):
            cell[0] = value
        return outputs

    for_jax = True

    def takes_as_is(self, value: Any) -> bool:
        watched = self.plan is not None or self.times is not None or self.guard is not None
        return not watched and backend.goes_in(value)

    def direct(self, given: Sequence[int]) -> Callable[..., Any] | None:
        if list(given) != self.writer.params:
            return None
        child, is_x64 = backend.child, backend.is_x64

        def direct(*values: Any) -> Any:
            if child.forked:
                return None
            run = self._run
            if run is None or self._host_work or self._sized:
                return self._on_values(values)
            wide = is_x64()
            try:
                return run(*values)
            except BaseException as e:
                return self._failed(run, values, wide, e)

        return direct

    def _on_values(self, values: Sequence[Any]) -> list[Any]:
        run = self._run or self._loaded()
        wide = backend.is_x64()
        try:
            with np.errstate(**error_state()) if self._host_work else _NOTHING:
                outputs = run(*values)
        except BaseException as e:
            return self._failed(run, values, wide, e)
        if self._sized and any(p.many_keys for p in self._sized):
            self._look_for_volatile()
        return outputs

    def _failed(
        self, run: Callable[..., Any], values: Sequence[Any], wide: bool, error: BaseException
    ) -> list[Any]:
        """Call again if tracing has found how to restage; otherwise raise the error."""
        if isinstance(error, RunsOnHost):
            self._forget(run, error)
        if self.restages_for(error):
            return self._on_values(values)
        _settle(run, error)
        backend.set_x64(wide)
        frame = _frame_of(run, error)
        shared = [self.storage_map[v] for v in self.fgraph.inputs]
        if overwriting.is_twice_given(error) and overwriting.part(shared):
            return self._on_values(values)
        kept = frame.get("kept", False)
        if isinstance(error, Exception) and not isinstance(error, Disagreement):
            try:
                self._blame(run, error)
            except Exception as blamed:
                if kept and self.fgraph.update_mapping:
                    blamed.add_note(STORED_BEFORE)
                raise
        if self.fgraph.update_mapping:
            error.add_note(STORED if kept else NOT_STORED)
        raise error

    def restages_for(self, error: BaseException) -> bool:
        """Stage again if tracing has raised what stages have to be like; return whether it has.

        Nothing is stored then, and no later program ran.
        """
        if isinstance(error, StateChangesShape):
            # at most once per variable: its update is stored after the call
            self._loose.add(error.held)
        elif isinstance(error, RunsOnHost):
            self._on_host[error.node] = None  # at most once per node
        else:
            return False
        self._restage()
        return True

    def _forget(self, run: Callable[[], Any], error: Exception) -> None:
        """Drop the compiled form whose tracing failed."""
        frame = _frame_of(run, error)
        program = self._failing(error, frame)
        if program is not None:
            program.forget(frame.get("key"))

    def _restage(self) -> None:
        self._retired += sum(p.forgotten + len(p.compilations) for p in self.stages)
        self._stage()

    def _host_call(self, node: Apply) -> Callable[..., Any]:
        """The function of a host node; for a choice, only the decision is made on the host."""
        op = node.op
        if isinstance(op, LazyThunk):
            requested = [self._branches.setdefault(g, Branch(g, self.job.gc)) for g in op.sides]
            return self._watched(node, op.asking([_on_host(side) for side in requested]))
        if not isinstance(op, Branches):
            return self._watched(node, on_copies(node, host_call(node)))
        sides = [self._branches.setdefault(g, Branch(g, self.job.gc)) for g in op.sides]

        def choose(c: Any, *values: Any) -> Any:
            k = 0 if c else 1
            return one_or_all(sides[k].run([values[i] for i in op.reads[k]]))

        return self._watched(node, choose)

    def _watched(self, node: Apply, run: Callable[..., Any]) -> Callable[..., Any]:
        """``run`` with the times and the guard's checks of this program."""
        if self.times is not None:
            run = self.times.watched(node, run)
        return run if self.guard is None else self.guard.guarded(node, run)

    def on_numpy(self, n_calls: int = 1) -> list[Any]:
        if self._numpy is None:
            self._numpy = NumpyProgram(self.job)
        return self._numpy(n_calls)

    # failures

    def _blame(self, run: Callable[[], Any], error: Exception) -> None:
        at = last_frame(error, run.__code__)
        if at is None:
            raise error
        names, frame = self.writer.names, at.tb_frame.f_locals
        at_hand = {names[n]: value for n, value in frame.items() if n in names}
        node = self.writer.owner_of_line.get(at.tb_lineno)
        if node is not None:
            self._blame_host(node, Replay(at_hand, self.storage_map), frame, error)
        program = self._failing(error, frame)
        if program is None:
            raise error
        flagged = None
        guarded = isinstance(error, ChecksBroken) and error.node is None
        if isinstance(error, ChecksBroken):
            flagged = error.node
            at_hand = {v: x for v, x in at_hand.items() if v not in error.outputs}
        elif frame.get("key") not in program.flagged:
            program.forget(frame.get("key"))  # its tracing did not finish
        elif overwriting.is_out_of_memory(error):
            self._name_largest(program, frame, error)
        replay = self._replay_of(program, at_hand, error)
        if guarded and self.guard is not None:
            rerun(program.nodes, replay, self._positions, self.guard)
            self.guard.not_found(program.nodes)
        blame(program.nodes, replay, self._positions, error, flagged)

    def _name_largest(
        self, program: DeviceProgram, frame: dict[str, Any], error: Exception
    ) -> NoReturn:
        """Raise a MemoryError that names the node with the largest result; restore the state."""
        if not isinstance(error, MemoryError) and frame.get("overwrites"):
            self._restore(program, frame)
        short = error if isinstance(error, MemoryError) else MemoryError(str(error))
        node = program.largest(frame["key"])
        raise_with_op(node, None, short, self._positions.get(node))

    def _restore(self, program: DeviceProgram, frame: dict[str, Any]) -> None:
        """Restore the state that a program, which had too little memory to start, would replace."""
        out = frame.get("out")
        for i, r in program.state:
            v = program.operands[i]
            old = frame.get(self.writer.device(v))
            if gone(old):
                old = None if out is None else overwriting.old_value(out[r])
            if old is not None:
                self.storage_map[v][0] = old

    def _replay_of(
        self, program: DeviceProgram, at_hand: dict[Variable, Any], error: Exception
    ) -> Replay:
        """A Replay of a program's values; raise if gathering them is impossible or too large."""
        if self.plan is None:
            return Replay(at_hand, self.storage_map)
        state = [self.storage_map[v][0] for v in program.operands if v.owner is None]
        held = [x for x in (*at_hand.values(), *state) if hasattr(x, "is_fully_addressable")]
        if not isinstance(error, ChecksBroken):
            # NOTE: only flags are the same on all processes; others may not come to gather
            if not all(x.is_fully_addressable or x.is_fully_replicated for x in held):
                raise error
        elif sum(x.nbytes for x in held) > _REPLAYED_BYTES:
            node = error.node or program.nodes[0]
            name(node, self._positions, f"on values of more than {_REPLAYED_BYTES:,} bytes")
        return Replay(at_hand, self.storage_map, gathered_on_host)

    def _blame_host(
        self, node: Apply, replay: Replay, frame: dict[str, Any], error: Exception
    ) -> NoReturn:
        """Blame a node of a host section, or a node that a program would have run before it.

        A node that was added to compute a size is not in the user's graph: the node that needs the
        size fails too, with an error of its own.
        """
        at = self._positions.get(node, len(self._positions))
        waiting = next((p for p in self.stages if f"run{p.number}" not in frame), None)
        ahead = waiting.nodes if waiting is not None else ()
        rerun([n for n in ahead if self._positions.get(n, -1) < at], replay, self._positions)
        self.position_of_error = self._positions.get(node, -1)
        values = [replay.value(v) for v in node.inputs]
        raise_with_op(node, values, error, self._positions.get(node))

    def _failing(self, error: Exception, frame: dict[str, Any]) -> DeviceProgram | None:
        """The program that was being called: the last one whose compiled form was looked up."""
        if isinstance(error, ChecksBroken):
            return error.program
        started = [p for p in self.stages if f"run{p.number}" in frame]
        return started[-1] if started else None

    # many keys

    def _look_for_volatile(self) -> None:
        """Stage again, with the sizes that differ from key to key kept out of programs."""
        moving = [
            e for program in self.stages for e in program.moving_sizes() if e not in self._volatile
        ]
        for program in self.stages:
            program.many_keys = False
        if not moving:
            return
        self._volatile.update(dict.fromkeys(moving))
        self._restage()


class Branch:
    """A branch of a choice that the host makes, compiled when it is first taken."""

    def __init__(self, graph: InnerGraph, gc: bool) -> None:
        self._graph, self._gc = graph, gc
        self._program: Program | None = None
        self._cells: list[list[Any]] = []

    @property
    def compilations(self) -> int:
        return getattr(self._program, "compilations", 0)

    def run(self, values: Sequence[Any]) -> list[Any]:
        program = self._program or self._make()
        for cell, value in zip(self._cells, values, strict=True):
            cell[0] = value
        try:
            return program()
        finally:
            for cell in self._cells:
                cell[0] = None

    def _make(self) -> Program:
        fgraph = FunctionGraph(self._graph.inputs, self._graph.outputs)
        order = fgraph.toposort()
        self._cells, _, cells = map_storage(fgraph, order, None, None)
        on_host = not any(map(has_compiled_form, order))
        kind = NumpyProgram if on_host else XlaProgram
        self._program = kind(Job(fgraph, cells, order, self._gc))
        return self._program


def _on_host(side: Branch) -> Callable[..., list[Any]]:
    """The results of a branch on the host, as a user's thunk takes them."""
    return lambda *values: [on_host(x) for x in side.run(values)]


def _frame_of(run: Callable[..., Any], error: BaseException) -> dict[str, Any]:
    """The local variables of the call path at the error."""
    at = last_frame(error, run.__code__)
    return {} if at is None else at.tb_frame.f_locals


def _settle(run: Callable[[], Any], error: BaseException) -> None:
    """Wait for the work that a failed call has started: it may still read the caller's arrays."""
    for value in _frame_of(run, error).values():
        for started in value if isinstance(value, list) else (value,):
            if hasattr(started, "block_until_ready"):
                # a program that failed has ended
                with contextlib.suppress(Exception):
                    backend.ready(started)


def _put(cell: Cell, value: Any) -> Any:
    """Put a shared value on the device; keep it there unless the user also holds the array."""
    if not isinstance(value, np.ndarray):
        return local(value)
    result = backend.put(value)
    if not cell.borrowed:
        cell[0] = result
    return result
