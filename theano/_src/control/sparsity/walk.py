"""Walk: propagate dependences and known values through a graph for given lengths."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from theano._src.control.inner_graph import InnerGraph, InnerShapes
from theano._src.control.sparsity.dependence import Dependence, union
from theano._src.grad.driver import pattern_of
from theano._src.graph import source_line
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op_table import OpTable
from theano._src.graph.walk import nodes_of
from theano._src.types.dtypes import discrete_dtypes
from theano._src.types.run_node import run_node
from theano._src.types.scalar import Scalar
from theano._src.types.sparse import SparseType

Shape = tuple[int, ...]


@dataclass(slots=True)
class State:
    """The facts about a variable: its shape, its dependence on x, its value.

    ``depends`` is None if no entry depends on x, ``value`` if the value is unknown. The entries of
    a sparse matrix are its stored elements; ``layout`` is a matrix with the same positions whose
    data are the numbers of the entries from 1, or None if they are unknown. Of a value that is
    ``partial``, a sparse matrix, only the positions are known.
    """

    shape: Shape | None
    depends: Dependence | None = None
    value: Any = None
    layout: Any = None
    partial: bool = False


class Step(NamedTuple):
    """A node with the states of its inputs and the shapes of its outputs."""

    node: Apply
    ins: list[State]
    shapes: list[Shape | None]
    #: the rows of the ops in inner graphs
    table: OpTable[Row]


#: a rule returns, for each output, a dependence, a State, or None if no entry depends on x
Rule = Callable[[Step], Sequence[Dependence | State | None]]


class Row(NamedTuple):
    """A rule, and the inputs whose values it takes.

    ``reads(node, table)`` are the inputs whose values the sets depend on, such as indices; by
    default those that the outputs are not connected to, and sparse matrices. With ``peeks``,
    values of the other inputs are used where they are constant (zeros).
    """

    rule: Rule
    peeks: bool = False
    reads: Callable[[Apply, OpTable[Row]], Iterable[int]] | None = None


def _read_inputs(node: Apply, row: Row | None, table: OpTable[Row]) -> Iterable[int]:
    """Return the positions of the inputs whose values a node's rule needs."""
    if row is None:
        return ()
    if row.reads is not None:
        return row.reads(node, table)
    pattern = pattern_of(node)
    return [
        i
        for i, v in enumerate(node.inputs)
        if not any(pattern[i]) or isinstance(v.type, SparseType)
    ]


class Walk:
    """A graph with its rows, in an order in which dependences are propagated.

    ``read`` are the inputs whose values the result depends on; ``value_order`` are the nodes whose
    values are computed where they do not depend on unknown ones.
    """

    def __init__(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], table: OpTable[Row]
    ) -> None:
        with source_line.paused():
            self._open(list(inputs), list(outputs))
        self.use(table)
        reads = self._needed(lambda node, row: _read_inputs(node, row, table))
        peeks = self._needed(
            lambda node, row: range(len(node.inputs)) if row is not None and row.peeks else ()
        )
        self._reads, self._peeks = reads, peeks
        self.set_lengths(self.lengths)

    def use(self, table: OpTable[Row]) -> None:
        """Take the rules of ops from a table."""
        self.table = table
        self.rows = {node: table.get(node.op) for node in self.order}

    def __getstate__(self) -> dict[str, Any]:
        # rules are no part of a file
        return {k: v for k, v in self.__dict__.items() if k not in ("table", "rows")}

    def _open(self, inputs: list[Variable], outputs: list[Variable]) -> None:
        sizes = InnerShapes(inputs, outputs)
        self.inputs, self.free = inputs, sizes.free
        self.outputs = [sizes.copy_of(v) for v in outputs]
        #: the original of each variable of the order
        self.origin: dict[Variable, Variable] = {}
        self.lengths: dict[Variable, tuple[Variable, ...] | None] = {}
        for v in (*inputs, *outputs, *_variables(outputs, inputs)):
            copy = sizes.copy_of(v)
            self.origin[copy] = v
            is_number = isinstance(v.type, Scalar)
            self.lengths[copy] = (
                None if isinstance(v, Constant) else () if is_number else sizes.of(v)
            )
        self.order = nodes_of(self.outputs, inputs)

    def set_lengths(self, lengths: dict[Variable, tuple[Variable, ...] | None]) -> None:
        """Use these expressions for the lengths of variables."""
        self.lengths = lengths
        sizes = [n for some in lengths.values() for n in some or ()]
        roots = {*sizes, *(v for node in nodes_of(sizes, self.inputs) for v in node.inputs)}
        self.read = [v for v in self.inputs if v in self._reads or v in roots]
        known = [*self.inputs, *(n for free in self.free for n in free or ())]
        self.value_order = nodes_of([*sizes, *self._reads, *self._peeks], known)

    def _needed(self, which: Callable[[Apply, Row | None], Iterable[int]]) -> dict[Variable, None]:
        """Return the variables at the chosen inputs of nodes, and all they are computed from."""
        needed: dict[Variable, None] = {}
        for node in reversed(self.order):
            if any(v in needed for v in node.outputs):
                needed.update(dict.fromkeys(node.inputs))
            else:
                needed.update((node.inputs[i], None) for i in which(node, self.rows[node]))
        return needed

    def run(
        self, states: Sequence[State], lengths: dict[Variable, Any] | None = None
    ) -> list[State]:
        """Return the states of the outputs for states of the inputs, and values of lengths."""
        values = self._values(states, lengths or {})
        result = dict(zip(self.inputs, states, strict=True))
        for node in self.order:
            ins = [self._state(v, result, values) for v in node.inputs]
            shapes = [self._shape(v, values) for v in node.outputs]
            outs = self._step(Step(node, ins, shapes, self.table))
            for v, state in zip(node.outputs, outs, strict=True):
                state.value = values.get(v, state.value)
                result[v] = state
        return [self._state(v, result, values) for v in self.outputs]

    def _values(self, states: Sequence[State], lengths: dict[Variable, Any]) -> dict[Variable, Any]:
        """Return the values of all variables that are needed and follow from what is given."""
        values = dict(lengths)
        for v, free, state in zip(self.inputs, self.free, states, strict=True):
            if state.value is not None:
                values[v] = state.value
            if state.shape is not None and free is not None:
                values.update(zip(free, map(np.asarray, state.shape), strict=True))
        partial = {v for v, state in zip(self.inputs, states, strict=True) if state.partial}
        for node in self.value_order:
            args = [v.data if isinstance(v, Constant) else values.get(v) for v in node.inputs]
            if any(x is None for x in args) or node.outputs[0] in values:
                continue
            if not partial.isdisjoint(node.inputs):
                if not all(_has_positions(v) for v in node.outputs):
                    continue
                partial.update(node.outputs)
            values.update(zip(node.outputs, run_node(node, args), strict=True))
        return values

    def _state(self, v: Variable, result: dict[Variable, State], values: dict[Any, Any]) -> State:
        if v in result:
            return result[v]
        value = v.data if isinstance(v, Constant) else values.get(v)
        return State(getattr(value, "shape", self._shape(v, values)), None, value)

    def _shape(self, v: Variable, values: dict[Variable, Any]) -> Shape | None:
        """Return the lengths of a variable, or None if one of them is unknown."""
        shape = []
        for n in self.lengths.get(v) or ():
            value = n.data if isinstance(n, Constant) else values.get(n)
            if value is None:
                return None
            shape.append(int(value))
        return None if self.lengths.get(v) is None else tuple(shape)

    def _step(self, step: Step) -> list[State]:
        node, row = step.node, self.rows[step.node]
        if all(s.depends is None for s in step.ins):
            return [State(shape) for shape in step.shapes]
        outs = conservative(step) if row is None else row.rule(step)
        results = []
        for v, shape, out in zip(node.outputs, step.shapes, outs, strict=True):
            state = replace(out) if isinstance(out, State) else State(shape, out)
            if getattr(v.type, "dtype", None) in discrete_dtypes:
                state.depends = None
            results.append(state)
        return results


def _has_positions(v: Variable) -> bool:
    return isinstance(v.type, SparseType) and v.type.dtype not in discrete_dtypes


def _variables(outputs: Sequence[Variable], inputs: Sequence[Variable]) -> list[Variable]:
    return [v for node in nodes_of(outputs, inputs) for v in (*node.inputs, *node.outputs)]


def conservative(step: Step) -> list[Dependence | State | None]:
    """Every entry of an output depends on all entries of all inputs that it is connected to."""
    pattern = pattern_of(step.node)
    results: list[Dependence | State | None] = []
    for j, (v, shape) in enumerate(zip(step.node.outputs, step.shapes, strict=True)):
        used = [s.depends for s, row in zip(step.ins, pattern, strict=True) if row[j]]
        total = union(d.total() for d in used if d is not None)
        if total is None:
            results.append(None)
        elif isinstance(v.type, SparseType):
            results.append(State(shape, total))
        else:
            results.append(total.everywhere(math.prod(shape_of(step, j))))
    return results


def shape_of(step: Step, j: int = 0) -> Shape:
    """Return the shape of output ``j``; raise ValueError if it is unknown."""
    shape = step.shapes[j]
    if shape is None:
        raise UnknownShape(f"the shape of output {j} of {step.node} depends on values of x")
    return shape


class UnknownShape(ValueError):
    """The shape of a variable inside a loop or branch depends on values that are not known."""


_walks: WeakKeyDictionary[InnerGraph, Any] = WeakKeyDictionary()


def inner_walk(graph: InnerGraph, table: OpTable[Row]) -> Walk:
    """Return the walk of an inner graph; built once."""
    walk = _walks.get(graph)
    if walk is None:
        walk = _walks[graph] = Walk(graph.inputs, graph.outputs, table)
    result: Walk = walk
    return result
