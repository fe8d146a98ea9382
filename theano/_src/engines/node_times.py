"""Times of the nodes of one profiled function: written by the engines, read by profiles."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter as clock
from typing import Any, NamedTuple

from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant, Variable

#: limits on the events and calls that are kept for traces
_EVENTS = 50_000
_CALLS = 1_000
#: limit on the input shapes for which value sizes are recorded
_KEYS = 64


class Event(NamedTuple):
    """One run of a node (given by its position) or of a compiled program: begin and end."""

    what: Any
    begin: float
    end: float


class ProgramTimes:
    """Times of one compiled program for one key, and the memory that XLA reports for it."""

    def __init__(self, number: int, key: Any, nodes: Sequence[int]) -> None:
        self.number, self.key, self.nodes = number, key, list(nodes)
        self.seconds = 0.0
        self.calls = 0
        self.compiling = 0.0
        #: fractions of its time for each of its nodes; they sum to 1
        self.shares: list[float] | None = None
        #: how they were measured: ``'node by node'``, ``'whole'`` for one node, or ``'evenly'``
        self.shared_by = ""
        #: why they were not measured node by node
        self.why = ""
        self.memory: dict[str, int] = {}
        self.flops: float | None = None


class NodeTimes:
    """Seconds, calls and sizes of the nodes of one function.

    Parameters
    ----------
    fgraph : FunctionGraph
    order : list of Apply
        The nodes in the order in which they run; a node is identified by its position.
    own : list of one float, optional
        Accumulates the seconds spent on measuring and compiling, which are not part of a call.

    Attributes
    ----------
    looking : float
        Seconds spent on measuring.
    read : bool
        Whether a profile will read this.
    """

    read = True
    #: runs a node with inner graphs once more and times the inner nodes
    look_inside: Callable[..., list[tuple[Apply, float, int]]] | None = None
    #: whether events are kept, call by call, for traces
    keeps_events = True

    def __init__(
        self, fgraph: FunctionGraph, order: Sequence[Apply], own: list[float] | None = None
    ) -> None:
        self.fgraph = fgraph
        self.nodes: list[Apply] = list(order)
        self.position = {node: i for i, node in enumerate(order)}
        self.own = [0.0] if own is None else own
        self.name: str | None = fgraph.name
        self.looking = 0.0
        self.compiling = 0.0
        self.loading = 0.0
        self.programs: dict[Any, ProgramTimes] = {}
        self.sizes: dict[Variable, tuple[Any, int]] = {}
        #: for a node with inner graphs, where its time goes: inner nodes, shares, runs
        self.inside: dict[int, list[tuple[Apply, float, int]]] = {}
        self._skipped: dict[int, float] = {}
        self._keys: set[Any] = set()
        self.reset()

    def reset(self) -> None:
        """Forget all calls; keep the compile times and the known sizes and shares."""
        n = len(self.nodes)
        self.seconds = [0.0] * n
        self.calls = [0] * n
        self.on_host_calls = [0] * n
        for program in self.programs.values():
            program.seconds, program.calls = 0.0, 0
        self.recent: deque[list[Event]] = deque(maxlen=max(1, min(_CALLS, _EVENTS // (n + 1))))
        self._whole: list[Event] = []

    def separate(self) -> NodeTimes:
        """A record for the same nodes that is not read, for calls that are not the user's."""
        times = NodeTimes(self.fgraph, self.nodes)
        times.read = False
        return times

    def add(self, node: Apply) -> int:
        """Return the position of a node, which may be one that the engine has created."""
        number = self.position.get(node)
        if number is None:
            number = self.position[node] = len(self.nodes)
            self.nodes.append(node)
            for column in (self.seconds, self.calls, self.on_host_calls):
                column.append(0)
        return number

    # called by the engines

    def look(self, key: Any) -> Callable[..., Any] | None:
        """Return `record_values` if inputs of these shapes are new, else None."""
        if key in self._keys or len(self._keys) >= _KEYS:
            return None
        self._keys.add(key)
        return self.record_values

    def record_values(self, i: int, *values: Any) -> None:
        """Record the sizes of the outputs of node ``i``."""
        for v, value in zip(self.nodes[i].outputs, values, strict=False):
            self.sized(v, getattr(value, "shape", None), getattr(value, "nbytes", 0))

    def sized(self, v: Variable, shape: Any, nbytes: int) -> None:
        """Record the size of a value; of several calls, keep the largest."""
        known = self.sizes.get(v)
        if known is None or nbytes >= known[1]:
            self.sizes[v] = (None if shape is None else tuple(shape), int(nbytes))

    def note(self, positions: Sequence[int], ticks: Sequence[float]) -> None:
        """Record a run of the numpy engine: ``positions[k]`` ran from ``ticks[k]`` to the next."""
        seconds, calls, on_host = self.seconds, self.calls, self.on_host_calls
        events = []
        begin = ticks[0]
        skipped, self._skipped = self._skipped, {}
        for i, end in zip(positions, ticks[1:], strict=True):
            if skipped:
                begin += skipped.get(i, 0.0)
            seconds[i] += end - begin
            calls[i] += 1
            on_host[i] += 1
            events.append(Event(i, begin, end))
            begin = end
        self.own[0] += sum(skipped.values())
        if self.keeps_events:
            self._whole += events
        self.add_overhead(begin)

    def host(self, i: int, begin: float, end: float) -> None:
        """Record one run of a node on the host."""
        self.seconds[i] += end - begin
        self.calls[i] += 1
        self.on_host_calls[i] += 1
        self._whole.append(Event(i, begin, end))
        self.add_overhead(end)

    def watched(self, node: Apply, run: Callable[..., Any]) -> Callable[..., Any]:
        """``run`` with its time recorded as a run of ``node`` on the host."""
        i = self.add(node)
        left = [2]  # calls whose value sizes are recorded

        def timed(*values: Any) -> Any:
            begin = clock()
            function = run(*values)
            end = clock()
            if left[0]:
                left[0] -= 1
                self.record_values(i, *([function] if len(node.outputs) == 1 else function))
            self.host(i, begin, end)
            return function

        return timed

    def thunk(
        self, i: int, node: Apply, run: Callable[[], Any], cells: Mapping[Variable, list[Any]]
    ) -> Callable[[], Any]:
        """A thunk that does the same as ``run`` and records its time."""
        outs = [cells[v] for v in node.outputs]
        ins = [(v, cells[v]) for v in node.inputs if v.owner is None]
        left = [2]  # calls whose value sizes are recorded

        def timed() -> Any:
            begin = clock()
            function = run()
            end = clock()
            if left[0]:
                left[0] -= 1
                self.record_values(i, *[cell[0] for cell in outs])
                for v, cell in ins:
                    self.sized(v, getattr(cell[0], "shape", None), getattr(cell[0], "nbytes", 0))
            self.host(i, begin, end)
            return function

        timed.__dict__.update(getattr(run, "__dict__", {}))
        return timed

    def program(self, times: ProgramTimes, begin: float, end: float) -> None:
        """Record one run of a compiled program, and divide its time among its nodes."""
        took = end - begin
        times.seconds += took
        times.calls += 1
        for i, share in zip(times.nodes, times.shares or (), strict=False):
            self.seconds[i] += share * took
            self.calls[i] += 1
        self._whole.append(Event(times, begin, end))
        self.add_overhead(end)

    def add_overhead(self, since: float) -> None:
        """Count the time since ``since`` as measuring."""
        took = clock() - since
        self.looking += took
        self.own[0] += took

    def compiled(self, times: ProgramTimes, seconds: float) -> None:
        """Record the compile time of a program, within a call."""
        times.compiling += seconds
        self.compiling += seconds
        self.own[0] += seconds

    def loaded(self, since: float) -> None:
        """Count the time since ``since`` as loading jax, within a call."""
        took = clock() - since
        self.loading += took
        self.own[0] += took

    def ended(self) -> None:
        """End a call: its events become one entry of ``recent``."""
        if self._whole:
            self.recent.append(self._whole)
            self._whole = []

    def inside_of(self, node: Apply, run: Callable[..., Any]) -> Callable[..., Any]:
        """``run`` for a node with inner graphs; the inner nodes are timed at the first call."""
        i, look = self.add(node), self.look_inside
        if look is None:
            return run

        def timed(*values: Any) -> Any:
            if i not in self.inside:
                begin = clock()
                self.inside[i] = []
                self.inside[i] = look(node, run, values)
                self._skipped[i] = clock() - begin
                self.looking += self._skipped[i]
            return run(*values)

        return timed

    # read by profiles

    def output_bytes(self, node: Apply) -> int:
        """The bytes of a node's outputs; 0 for values never seen."""
        return sum(self.sizes.get(v, (None, 0))[1] for v in node.outputs)

    def shape_of(self, v: Variable) -> Any:
        if isinstance(v, Constant):
            return getattr(v.data, "shape", None)
        return self.sizes.get(v, (None, 0))[0]
