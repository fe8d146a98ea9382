"""Staging: decide which nodes run on the host, and which in which compiled program (ADR 5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from theano._src.control.scan.op import Scan
from theano._src.control.solvers.structure import SolverOp
from theano._src.engines.xla.size_cse import Merged
from theano._src.graph import source_line
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.walk import nodes_of
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.index.subtensor import Subtensor
from theano._src.ops.reduce.careduce import CAReduce
from theano._src.ops.reduce.max_min import Argmax
from theano._src.ops.shape.join import MakeVector
from theano._src.ops.shape.shape import Reshape, Shape, Shape_i
from theano._src.rules.shape import ShapeFeature
from theano._src.types.run_node import has_compiled_form

#: the longest chain of cheap ops that runs on the host to save a stage
_CHEAP_DEPTH = 3
_COUNTS = (Elemwise, CAReduce, Argmax)
_MOVES = (DimShuffle, Reshape)


def is_size(node: Apply) -> bool:
    """Whether a node computes sizes: lengths, and arithmetic on 0-d and integer vectors."""
    if isinstance(node.op, Shape | Shape_i):
        return True
    if not all(_small(v) for v in (*node.inputs, *node.outputs)):
        return False
    if isinstance(node.op, Scan | SolverOp):
        return False  # a loop takes time however small its values are
    if not all(is_size(n) for g in node.op.inner_graphs for n in g.order):
        return False
    flat = all(v.type.ndim == 0 for v in (*node.inputs, *node.outputs))
    return flat or isinstance(node.op, MakeVector | Subtensor | Elemwise | DimShuffle)


def _discrete(node: Apply) -> bool:
    """Whether a node returns integers or bools."""
    return all(v.type.numpy_dtype.kind in "iub" for v in node.outputs)


def _small(v: Variable) -> bool:
    ndim = getattr(v.type, "ndim", None)
    return ndim == 0 or (ndim == 1 and v.type.numpy_dtype.kind in "iub")


class Staging:
    """A graph cut into host sections and programs.

    Attributes
    ----------
    sections : list of lists of nodes
        ``sections[k]`` runs on the host before program ``k``; there may be one after the last.
    programs : list of lists of nodes
    demands : dict
        For each node of a program, the integer expressions whose values it needs to compile.
    on_host, on_device : sets of variables
        Variables that are computed or transferred there.
    """

    def __init__(
        self,
        fgraph: FunctionGraph,
        volatile: Collection[Variable] = (),
        on_host: Collection[Apply] = (),
    ) -> None:
        self.fgraph = fgraph
        self._left_to_host = set(on_host)
        self.inputs = set(fgraph.inputs)
        self.shapes = ShapeFeature()
        self.demands: dict[Apply, tuple[Variable, ...]] = {}
        own = nodes_of(fgraph.outputs, self.inputs)
        # NOTE: demands are new expressions each time: unmerged, none would be in `volatile`
        self._merged = Merged(self.inputs, own)
        moving = {self._merged(e) for e in volatile}
        self._find_demands(own)
        self.volatile = self._hanging_on(moving) if moving else set()
        self.order = self._combined_order()
        self.host_level: dict[Variable, int] = {}
        self.device_level: dict[Variable, int] = {}
        self._host_first: set[Apply] = set()
        self._levels()
        self.on_host: set[Variable] = set()
        self.on_device: set[Variable] = set()
        self.by_host: set[Apply] = set()
        self.by_device: set[Apply] = set()
        self._needs()
        self._cut()

    # demands

    def _find_demands(self, own: list[Apply]) -> None:
        """Find the demands of every node, and of the nodes that compute demands."""
        todo = list(own)
        seen = set(own)
        with source_line.paused():
            while todo:
                node = todo.pop()
                if node in self._left_to_host or not has_compiled_form(node):
                    continue
                shapes = [self.shapes.shape(v) for v in node.inputs]
                result = tuple(self._merged(e) for e in node.op.demands(node, shapes))
                if not result:
                    continue
                self.demands[node] = result
                stack = [e.owner for e in result if e.owner is not None]
                while stack:
                    new = stack.pop()
                    if new in seen:
                        continue
                    seen.add(new)
                    todo.append(new)
                    stack.extend(
                        v.owner for v in new.inputs if v.owner is not None and v not in self.inputs
                    )

    def _combined_order(self) -> list[Apply]:
        first = {
            node: [e.owner for e in item if e.owner is not None]
            for node, item in self.demands.items()
        }
        wanted = [*self.fgraph.outputs, *(e for item in self.demands.values() for e in item)]
        return nodes_of(wanted, self.inputs, {**self.fgraph.orderings(), **first})

    def _hanging_on(self, moving: set[Variable]) -> set[Apply]:
        """The nodes whose compiled form would change with one of ``moving``."""
        loose: set[Variable] = set()  # variables whose shape changes
        nodes: set[Apply] = set()
        moves: dict[Variable, bool] = dict.fromkeys(moving, True)
        for node in self._combined_order():
            if is_size(node) and node not in self.demands:
                continue
            demands = self.demands.get(node, ())
            if any(v in loose for v in node.inputs) or self._any_moves(demands, moves, loose):
                nodes.add(node)
                for v in node.outputs:
                    lengths = map(self._merged, self.shapes.shape(v) or ())
                    if self._any_moves(lengths, moves, loose):
                        loose.add(v)
        return nodes

    def _any_moves(
        self, sizes: Iterable[Variable], moves: dict[Variable, bool], loose: set[Variable]
    ) -> bool:
        """Whether one of ``sizes`` is computed from those in ``moves``, or is a loose length."""
        sizes = list(sizes)
        stack = list(sizes)
        while stack:
            v = stack[-1]
            node = v.owner
            if v in moves:
                stack.pop()
            elif node is None or v in self.inputs or not is_size(node):
                moves[v] = False
            elif isinstance(node.op, Shape | Shape_i):
                moves[v] = node.inputs[0] in loose
            elif missing := [i for i in node.inputs if i not in moves]:
                stack.extend(missing)
            else:
                moves[v] = any(moves[i] for i in node.inputs)
        return any(moves[v] for v in sizes)

    # levels

    def _level(self, table: dict[Variable, int], variables: Iterable[Variable]) -> int:
        return max((table.get(v, 0) for v in variables), default=0)

    def host_only(self, node: Apply) -> bool:
        left = node in self.volatile or node in self._left_to_host
        return left or not has_compiled_form(node)

    def _levels(self) -> None:
        host, device = self.host_level, self.device_level
        depth: dict[Variable, int] = {}
        for node in self.order:
            if self.host_only(node):
                h = d = self._level(host, node.inputs)
                self._host_first.add(node)
            else:
                only = getattr(node.op, "demand_only", ())
                read = [v for i, v in enumerate(node.inputs) if i not in only]
                d = max(self._level(device, read), self._level(host, self.demands.get(node, ())))
                h = d + 1
                alternative = self._on_host_instead(node, depth)
                if alternative is not None and alternative < h:
                    h = alternative
                    self._host_first.add(node)
                    d = min(d, h) if is_size(node) else d
            for v in node.outputs:
                host[v], device[v] = h, d

    def _on_host_instead(self, node: Apply, depth: dict[Variable, int]) -> int | None:
        """The section in which a node could run on the host at negligible cost, or None."""
        if isinstance(node.op, Shape | Shape_i):
            (x,) = node.inputs
            if x.owner is None or x in self.inputs or self.host_only(x.owner):
                return self.host_level.get(x, 0)
            return self.device_level[x] + 1
        if is_size(node):
            return self._level(self.host_level, node.inputs)
        deep = 1 + max((depth.get(v, 0) for v in node.inputs), default=0)
        at_start = all(self.host_level.get(v, 0) == 0 for v in node.inputs)
        cheap = isinstance(node.op, _MOVES) or (isinstance(node.op, _COUNTS) and _discrete(node))
        if at_start and deep <= _CHEAP_DEPTH and cheap:
            for v in node.outputs:
                depth[v] = deep
            return 0
        return None

    # needs

    def _needs(self) -> None:
        for v in self.fgraph.outputs:
            node = v.owner
            if node is None or v in self.inputs:
                continue
            small = v.type.ndim == 0 if hasattr(v.type, "ndim") else True
            size = is_size(node) and (small or isinstance(node.op, MakeVector | Shape))
            if self.host_only(node) or (size and self.host_level[v] == 0):
                self.on_host.add(v)
            else:
                self.on_device.add(v)
        for node in reversed(self.order):
            on_host = any(v in self.on_host for v in node.outputs)
            on_device = any(v in self.on_device for v in node.outputs)
            if on_host or on_device:
                self._place(node, on_host, on_device)

    def _place(self, node: Apply, on_host: bool, on_device: bool) -> None:
        if self.host_only(node):
            self.by_host.add(node)
            self.on_host.update(node.inputs)
            return
        first = node in self._host_first
        # values that the host has computed are not computed again: the two may round differently,
        # and a count must match the mask it was computed from
        bring = first and (
            (on_host and not (is_size(node) and _discrete(node)))
            or (
                is_size(node)
                and self._level(self.device_level, node.outputs)
                < self._level(self.device_level, node.inputs)
            )
        )
        if (on_host and first) or (on_device and bring):
            self.by_host.add(node)
            if isinstance(node.op, Shape | Shape_i):
                self._need_length(node.inputs[0])
            else:
                self.on_host.update(node.inputs)
        if (on_host and not first) or (on_device and not bring):
            self.by_device.add(node)
            only = getattr(node.op, "demand_only", ())
            self.on_device.update(v for i, v in enumerate(node.inputs) if i not in only)
            self.on_host.update(self.demands.get(node, ()))

    def _need_length(self, x: Variable) -> None:
        if x.owner is not None and x not in self.inputs:
            (self.on_host if self.host_only(x.owner) else self.on_device).add(x)

    # the cut

    def _cut(self) -> None:
        device = {n: max(self.device_level[v] for v in n.outputs) for n in self.by_device}
        host = {n: max(self.host_level[v] for v in n.outputs) for n in self.by_host}
        n_programs = max(device.values(), default=-1) + 1
        n_sections = max(max(host.values(), default=-1) + 1, n_programs)
        late = self._only_for_updates()
        if late and n_sections > n_programs:
            # host nodes that may still fail run first: then state can be overwritten
            n_programs = n_sections
        for node in late:
            # the last program can overwrite the state that it updates
            device[node] = n_programs - 1
        self.programs: list[list[Apply]] = [[] for _ in range(n_programs)]
        self.sections: list[list[Apply]] = [[] for _ in range(n_sections)]
        for node in self.order:
            if node in device:
                self.programs[device[node]].append(node)
            if node in host:
                self.sections[host[node]].append(node)

    def _only_for_updates(self) -> list[Apply]:
        """The nodes of programs that only the new values of shared variables need."""
        outputs = self.fgraph.outputs
        updates = {outputs[o] for o in self.fgraph.update_mapping or ()}
        kept = set(self.on_host)
        kept.update(v for v in outputs if v not in updates)
        late = []
        for node in reversed(self.order):
            if node not in self.by_device:
                continue
            if any(v in kept for v in node.outputs):
                kept.update(node.inputs)
            else:
                late.append(node)
        return late
