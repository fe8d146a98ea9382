"""Lazy branches: move nodes that only one branch of ifelse needs into that branch (ADR 12).

The inputs of a user's op with a lazy thunk are treated as such branches too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import Any, NamedTuple

from theano._src.control.ifelse import IfElse
from theano._src.control.inner_graph import InnerGraph, kept_apart, one_or_all
from theano._src.control.lazy_thunk import LazyThunk, asks_for_inputs
from theano._src.graph import source_line
from theano._src.graph.clone import rebuild
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import HasInnerGraph, Op
from theano._src.graph.walk import nodes_of, same_computations
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.utils import MethodNotDefined
from theano._src.rewrite.driver import inherit
from theano._src.types.checked import is_checked

#: the deepest nesting of branches; each level is a nested call at run time
_DEEPEST = 60


class Branches(HasInnerGraph, IfElse):
    """An IfElse that holds its branches as graphs, and runs one of them.

    Its inputs are the condition and the variables that the branches read. Each side is a graph,
    with the positions of its inputs among those after the condition.
    """

    nondiff_inputs = ()

    def __init__(
        self, sides: Sequence[InnerGraph], reads: Sequence[Sequence[int]], name: str | None = None
    ) -> None:
        super().__init__(len(sides[0].outputs), name=name)
        self.sides = tuple(sides)
        self.reads = tuple(map(tuple, reads))
        shared: list[set[int]] = [set() for _ in range(self.n_outs)]
        for side, at in zip(self.sides, self.reads, strict=True):
            for out, result in zip(shared, side.views(), strict=True):
                out.update(1 + at[i] for i in result)
        self.view_map = {i: sorted(result) for i, result in enumerate(shared) if result}

    @cached_property
    def runs_on(self) -> str:  # type: ignore[override]
        """'host' if a branch cannot be traced before the condition is known, else 'any'."""
        traced = all(not g.needs_host and g.opened().from_sizes_alone() for g in self.sides)
        return "any" if traced else "host"

    def rewritten(self, rewrite: Callable[[Any, Any], Any]) -> Branches:
        results = [rewrite(side.inputs, side.outputs) for side in self.sides]
        sides = [InnerGraph(ins, kept_apart(ins, outs)) for ins, outs in results]
        return Branches(sides, self.reads, self.name)

    @property
    def inner_graphs(self) -> tuple[InnerGraph, ...]:
        return self.sides

    def inner_graph(self, node: Apply) -> tuple[list[Variable], dict[Variable, Variable]]:
        """Return the outputs of both branches, and the outer variables for their inputs."""
        outer = {
            v: node.inputs[1 + i]
            for side, at in zip(self.sides, self.reads, strict=True)
            for v, i in zip(side.inputs, at, strict=True)
        }
        return [v for side in self.sides for v in side.outputs], outer

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __str__(self) -> str:
        return f"if{{{','.join([*([self.name] if self.name else []), 'lazy'])}}}"

    def make_node(self, c: Any, *args: Any) -> Apply:
        return Apply(self, [c, *args], [v.type() for v in self.sides[0].outputs])

    def compute(self, xp: ArrayNamespace, c: Array, *values: Array) -> Any:
        if xp.name != "numpy":
            return self.lower_xla(xp, (), c, *values)
        k = 0 if c else 1
        return one_or_all(self.sides[k].run(*[values[i] for i in self.reads[k]]))

    def bind(self, node: Apply) -> Callable[..., Any]:
        (then, otherwise), (first, second) = self.sides, map(_taking, self.reads)
        single = self.n_outs == 1

        def run(c: Any, *values: Any) -> Any:
            result = then.run(*first(values)) if c else otherwise.run(*second(values))
            return result[0] if single else result

        return run

    def lower_checked(
        self, xp: ArrayNamespace, sizes: Sequence[int], c: Array, *values: Array
    ) -> tuple[list[Any], list[Any]]:
        """Return the outputs, and one flag: whether all checks of the branch that runs hold."""
        n = self.sides[0].demand_count

        def lowered(k: int, sizes: Sequence[int]) -> Any:
            side, at = self.sides[k], self.reads[k]

            def run(*given: Any) -> list[Any]:
                result, flags = side.lower(xp, sizes, [given[i] for i in at])
                outs = [
                    xp.astype(x, v.type.numpy_dtype)
                    for x, v in zip(result, side.outputs, strict=True)
                ]
                fine = [xp.all(xp.asarray(f)) for f in flags]
                return [*outs, xp.all(xp.stack(fine)) if fine else xp.asarray(True)]

            return run

        *outs, fine = xp.cond(c, lowered(0, sizes[:n]), lowered(1, sizes[n:]), values)
        return outs, [fine] if is_checked(self) else []

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return [e for k in (0, 1) for e in self.sides[k].demands(*self._given(k, node, shapes))]

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        then, otherwise = (self.sides[k].lengths(*self._given(k, node, shapes)) for k in (0, 1))
        # a shape that differs between branches is known only after the run
        return [
            s if s is not None and same_computations(s, t) else None
            for s, t in zip(then, otherwise, strict=True)
        ]

    def _given(self, k: int, node: Apply, shapes: Sequence[Any]) -> Any:
        at = self.reads[k]
        return [node.inputs[1 + i] for i in at], [shapes[1 + i] for i in at]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        raise MethodNotDefined("L_op", type(self), "take gradients before the graph is compiled")

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        raise MethodNotDefined("R_op", type(self), "take derivatives before the graph is compiled")

    def batch_rule(self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]) -> None:
        return None


def _taking(at: Sequence[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """Return a function that selects the values at these positions."""
    if len(at) > 1:
        return itemgetter(*at)
    return (lambda values: (values[at[0]],)) if at else (lambda values: ())


def chooses(op: Any) -> bool:
    """Whether an op is a Branches, or contains one."""
    stack = [op]
    while stack:
        one = stack.pop()
        if isinstance(one, Branches):
            return True
        for graph in one.inner_graphs:
            stack.extend(node.op for node in graph.order)
    return False


@dataclass(eq=False)
class Region:
    """A place where nodes run: the whole graph, or one side of a lazy node in another region."""

    node: Apply | None = None
    side: int = 0
    parent: Region | None = None
    depth: int = 0
    nodes: list[Apply] = field(default_factory=list)
    #: conditions whose value is known here: 0 if true, 1 if false
    decided: dict[Variable, int] = field(default_factory=dict)

    def inside(self, node: Apply, side: int) -> Region:
        """Return the region of one side of an IfElse here, or of one input of a lazy node."""
        decided = self.decided
        if type(node.op) is IfElse:
            decided = {**decided, node.inputs[0]: side}
        return Region(node, side, self, self.depth + 1, decided=decided)

    def below(self, outer: Region) -> Region | None:
        """Return this region, or the one around it, that is a side of a node in ``outer``."""
        region: Region | None = self
        while region is not None and region.parent is not outer:
            region = region.parent
        return region


def common(regions: Sequence[Region]) -> Region:
    """Return the innermost region that contains all of these."""
    a: Any = regions[0]
    for b in regions[1:]:
        while a is not b:
            if a.depth >= b.depth:
                a = a.parent
            else:
                b = b.parent  # type: ignore[assignment]
    region: Region = a
    return region


class Use(NamedTuple):
    """A variable that a node reads at a position, and the region; node None: a graph output."""

    node: Apply | None
    i: int
    v: Variable
    where: Region


class Regions:
    """The region of each node of a graph: which nodes only one branch of an IfElse needs.

    ``order`` is a topological order. An IfElse that is only used where its condition is already
    known is not needed: ``settled`` has the value that replaces it, by node and position.
    """

    def __init__(
        self,
        order: Sequence[Apply],
        outputs: Iterable[Variable],
        can_hand: Callable[[Apply], bool] | None = None,
    ) -> None:
        self.whole = Region()
        self.sides: dict[Apply, tuple[Region, ...]] = {}
        self.of: dict[Apply, Region] = {}
        self.kept: dict[Apply, list[int]] = {}  # the outputs of each lazy node that are used
        self.settled: dict[tuple[Apply | None, int], Variable] = {}
        #: with `can_hand`: sides in which a node runs, and its uses elsewhere
        self.handed: list[tuple[Region, list[Use]]] = []
        self._uses: dict[Apply, list[Use]] = {}
        at = {node: k for k, node in enumerate(order)}
        for i, v in enumerate(outputs):
            self._used(Use(None, i, v, self.whole))
        for node in reversed(order):
            uses = self._uses.pop(node, None)
            if uses is None:
                continue  # unused
            is_choice = type(node.op) is IfElse
            if is_choice and self._is_settled(node, uses):
                continue
            here = common([use.where for use in uses])
            if can_hand is not None and not is_choice:
                here = self._first(node, uses, here, can_hand, at)
            # NOTE: a node that overwrites its inputs must keep its place in the given order
            here = self.of[node] = self.whole if getattr(node.op, "destroy_map", None) else here
            here.nodes.append(node)
            if is_lazy(node) and here.depth < _DEEPEST:
                n = 2 if is_choice else len(node.inputs)
                self.sides[node] = tuple(here.inside(node, k) for k in range(n))
                used = {use.v.index for use in uses if use.v.index is not None}
                self.kept[node] = sorted(used) if is_choice else list(range(len(node.outputs)))
            for use in self.uses(node):
                self._used(use)
        for region in (self.whole, *(r for pair in self.sides.values() for r in pair)):
            region.nodes.reverse()

    def _first(
        self,
        node: Apply,
        uses: Sequence[Use],
        here: Region,
        can_hand: Callable[[Apply], bool],
        at: dict[Apply, int],
    ) -> Region:
        """Return the region for a node that several IfElse with one condition and side need."""
        heads = [use.where.below(here) for use in uses]
        if None in heads:
            return here
        if not all(type(head.node.op) is IfElse for head in heads):  # type: ignore[union-attr]
            return here
        kinds = {(head.node.inputs[0], head.side) for head in heads}  # type: ignore[union-attr]
        if len(kinds) > 1 or len(set(map(id, heads))) < 2 or not can_hand(node):
            return here
        first: Any = min(heads, key=lambda head: at[head.node])  # type: ignore[union-attr,index]
        later = [use for use, head in zip(uses, heads, strict=True) if head is not first]
        self.handed.append((first, later))
        return common([u.where for u, head in zip(uses, heads, strict=True) if head is first])

    def uses(self, node: Apply) -> Iterator[Use]:
        """Yield the inputs of a node that are needed, with their regions."""
        here = self.of[node]
        if node not in self.sides:
            for i in range(len(node.inputs)):
                yield Use(node, i, self.input(node, i), here)
            return
        if type(node.op) is not IfElse:
            for i, side in enumerate(self.sides[node]):
                yield Use(node, i, self.input(node, i), side)
            return
        yield Use(node, 0, self.input(node, 0), here)
        for k, side in enumerate(self.sides[node]):
            for j in self.kept[node]:
                i = 1 + k * node.op.n_outs + j
                yield Use(node, i, self.input(node, i), side)

    def input(self, node: Apply, i: int) -> Variable:
        """Return the variable that a node reads at a position."""
        return self.settled.get((node, i), node.inputs[i])

    def _used(self, use: Use) -> None:
        if use.v.owner is not None:
            self._uses.setdefault(use.v.owner, []).append(use)

    def _is_settled(self, node: Apply, uses: Sequence[Use]) -> bool:
        c = node.inputs[0]
        if not all(c in use.where.decided for use in uses):
            return False
        for user, i, v, where in uses:
            assert v.index is not None
            value = node.inputs[1 + where.decided[c] * node.op.n_outs + v.index]
            self.settled[user, i] = value
            self._used(Use(user, i, value, where))
        return True


def is_lazy(node: Apply) -> bool:
    """Whether a node needs some of its inputs only on demand."""
    return type(node.op) is IfElse or asks_for_inputs(node)


def lazy(
    order: Sequence[Apply], outputs: Iterable[Variable]
) -> Iterator[tuple[Apply, dict[Variable, Variable]]]:
    """Yield each lazy node that always runs, with the replacements for its outputs.

    ``order`` are the nodes that compute ``outputs``, in topological order.
    """
    if not any(map(is_lazy, order)):
        return
    regions = Regions(order, outputs)
    result: dict[Apply, tuple[Op, list[Variable]]] = {}
    for node in order:
        # nested nodes come first, and are inserted where they run
        if node in regions.sides and regions.kept[node]:
            result[node] = _with_branches_inside(node, regions, result)
    stands: dict[Variable, Variable] = {}
    for node in regions.whole.nodes:
        if node in result:
            op, reads = result[node]
            new = _applied(node, op, [stands.get(v, v) for v in reads])
            new_for = {
                node.outputs[i]: v for i, v in zip(regions.kept[node], new.outputs, strict=True)
            }
            stands.update(new_for)
            yield node, new_for


def _applied(node: Apply, op: Op, reads: Sequence[Variable]) -> Apply:
    with source_line.paused():
        new = op.make_node(*reads)
    inherit(new, node)
    return new


def _with_branches_inside(
    node: Apply, regions: Regions, result: dict[Apply, tuple[Op, list[Variable]]]
) -> tuple[Op, list[Variable]]:
    """Return the op with its branches inside, and the variables it reads, condition first."""
    is_choice = type(node.op) is IfElse
    reads: dict[Variable, int] = {}
    graphs, positions = [], []
    for k, region in enumerate(regions.sides[node]):
        inside: dict[Variable, Variable] = {}
        own: list[Variable] = []

        def seen(v: Variable, inside: Any = inside, own: Any = own) -> Variable:
            if isinstance(v, Constant):
                return v
            if v not in inside:
                inside[v] = v.type(name=v.name)
                own.append(v)
            variable: Variable = inside[v]
            return variable

        for one in region.nodes:
            if one in result:
                op, outside = result[one]
                new = _applied(one, op, [seen(v) for v in outside])
                outs = [one.outputs[i] for i in regions.kept[one]]
            else:
                new = one.clone_with_new_inputs(
                    [seen(regions.input(one, i)) for i in range(len(one.inputs))]
                )
                outs = one.outputs
            inside.update(zip(outs, new.outputs, strict=True))
        if is_choice:
            first = 1 + k * node.op.n_outs
            given = [seen(regions.input(node, first + i)) for i in regions.kept[node]]
        else:
            given = [seen(regions.input(node, k))]
        ins = [inside[v] for v in own]
        outputs = given if not is_choice and not region.nodes else kept_apart(ins, given)
        graphs.append(InnerGraph(ins, outputs))
        positions.append([reads.setdefault(v, len(reads)) for v in own])
    if not is_choice:
        requested = {v: v if isinstance(v, Constant) else v.type(name=v.name) for v in node.inputs}
        template = node.clone_with_new_inputs([requested[v] for v in node.inputs])
        return LazyThunk(template, graphs, positions), list(reads)
    return Branches(graphs, positions, node.op.name), [regions.input(node, 0), *reads]


def with_lazy_branches(inputs: Sequence[Variable], outputs: Sequence[Variable]) -> list[Variable]:
    """Return ``outputs`` with nodes that only one branch needs moved into that branch."""
    replaced: dict[Variable, Variable] = {}
    for _, new_for in lazy(nodes_of(outputs, inputs), outputs):
        replaced.update(new_for)
    return rebuild(outputs, replaced) if replaced else list(outputs)
