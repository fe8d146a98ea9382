"""LazyThunk: a user's op with a lazy thunk, together with the graphs that compute its inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from theano._src.control.inner_graph import InnerGraph, one_or_all
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import HasInnerGraph
from theano._src.graph.testvalue import thunk_of
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.types.run_node import fitted

#: for each input of a node, a function that computes it
Sides = Sequence[Callable[..., list[Any]]]


class LazyThunk(HasInnerGraph):
    """A node with a lazy thunk: each input is computed only if the thunk requests it.

    ``node`` is the user's node with its own input variables. Each of them has a graph with one
    output, and the positions of that graph's inputs among the inputs of this op.
    """

    runs_on = "host"
    inner_graphs_of = "lazy ops"

    def __init__(
        self, node: Apply, sides: Sequence[InnerGraph], reads: Sequence[Sequence[int]]
    ) -> None:
        self.node = node
        self.sides = tuple(sides)
        self.reads = tuple(map(tuple, reads))
        # one thunk for each node: thunks keep values in their own cells
        self._runs: WeakKeyDictionary[Apply, Callable[..., Any]] = WeakKeyDictionary()
        self.view_map = {}
        for out, positions in (getattr(node.op, "view_map", None) or {}).items():
            shared = {self.reads[i][j] for i in positions for j in self.sides[i].views()[0]}
            if shared:
                self.view_map[out] = sorted(shared)

    def __reduce__(self) -> Any:
        return (LazyThunk, (self.node, self.sides, self.reads))

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __str__(self) -> str:
        return f"{self.node.op}{{lazy}}"

    @property
    def inner_graphs(self) -> tuple[InnerGraph, ...]:
        given = [v for v in dict.fromkeys(self.node.inputs) if not isinstance(v, Constant)]
        return (*self.sides, InnerGraph(given, self.node.outputs))

    def inner_graph(self, node: Apply) -> tuple[list[Variable], dict[Variable, Variable]]:
        outer = {
            v: node.inputs[i]
            for side, at in zip(self.sides, self.reads, strict=True)
            for v, i in zip(side.inputs, at, strict=True)
        }
        return [v for side in self.sides for v in side.outputs], outer

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, inputs, [v.type() for v in self.node.outputs])

    def compute(self, xp: ArrayNamespace, *values: Array) -> Any:
        return self.bind(self.node)(*values)

    def bind(self, node: Apply) -> Callable[..., Any]:
        function = self._runs.get(node)
        if function is None:
            function = self._runs[node] = self.asking([side.run for side in self.sides])
        return function

    def asking(self, sides: Sides) -> Callable[..., Any]:
        """Return a function that runs the thunk and computes the inputs that it requests."""
        node, reads = self.node, self.reads
        cells: dict[Variable, list[Any]] = {
            v: [v.data if isinstance(v, Constant) else None] for v in (*node.inputs, *node.outputs)
        }
        computed = {v: [isinstance(v, Constant)] for v in cells}
        thunk = thunk_of(node.op, node, cells, computed)
        at_hand = [
            (cells[v], computed[v], reads[i][0])
            for i, (v, side) in enumerate(zip(node.inputs, self.sides, strict=True))
            if not isinstance(v, Constant) and not side.order
        ]
        left = [v for v in cells if not isinstance(v, Constant)]

        def run(*values: Any) -> Any:
            for v in left:
                computed[v][0] = False
            for cell, flag, k in at_hand:
                cell[0], flag[0] = values[k], True
            try:
                while requested := thunk():
                    new = [i for i in requested if not computed[node.inputs[i]][0]]
                    if not new:
                        raise ValueError(
                            f"the thunk of {node.op} asks for its inputs {list(requested)}, "
                            "which it "
                            "has: a lazy thunk returns the positions of inputs that compute_map "
                            "says are not computed, and nothing once its outputs are there"
                        )
                    for i in new:
                        (value,) = sides[i](*[values[k] for k in reads[i]])
                        cells[node.inputs[i]][0] = value
                        computed[node.inputs[i]][0] = True
                return one_or_all(
                    [fitted(node, i, cells[v][0]) for i, v in enumerate(node.outputs)]
                )
            finally:
                for v in left:
                    cells[v][0] = None

        return run


_ASKS: WeakKeyDictionary[Apply, bool] = WeakKeyDictionary()


def asks_for_inputs(node: Apply) -> bool:
    """Whether a node's op has a user-defined thunk that is lazy."""
    op = node.op
    if "make_thunk" not in getattr(op, "__dict__", ()):
        make = getattr(type(op), "make_thunk", None)
        # code written in a console may have no module
        if make is None or (getattr(make, "__module__", None) or "").startswith("theano."):
            return False
    if getattr(op, "destroy_map", None):
        return False  # it must stay in order: after all nodes that read what it overwrites
    answer = _ASKS.get(node)
    if answer is None:
        answer = _ASKS[node] = _makes_lazy_thunk(node)
    return answer


def _makes_lazy_thunk(node: Apply) -> bool:
    cells: dict[Variable, list[Any]] = {
        v: [v.data if isinstance(v, Constant) else None] for v in (*node.inputs, *node.outputs)
    }
    computed = {v: [v.owner is None] for v in cells}
    try:
        return bool(getattr(thunk_of(node.op, node, cells, computed), "lazy", False))
    except Exception:
        return False  # the error is raised again, with the node, when the graph is linked
