"""SolverOp: the common part of ops that call inner graphs as often as an algorithm needs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Any, Self

import numpy as np

from theano._src.control.inner_graph import InnerGraph, connections, depend
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import HasInnerGraph
from theano._src.graph.walk import equal_computations
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.types.scalar import Scalar
from theano._src.types.tensor import TensorType

#: a function from values of inner variables, without the parameters, to values of inner outputs
Call = Callable[..., list[Any]]


class SolverOp(HasInnerGraph):
    """An op that solves for inner variables of its functions, by a method that has a name.

    Parameters
    ----------
    inputs : list of Variables
        Inner variables: ``n_moving`` that the algorithm changes, then the parameters.
    outputs : list of Variables
        The functions of the user, from which ``functions`` derives what is computed.
    method : str
    options : dict
        Arguments of SciPy's function.
    check : bool
        Whether it is an error if the method does not converge.
    """

    #: the number of inner variables that the algorithm changes
    n_moving = 1

    def __init__(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        method: str,
        options: Mapping[str, Any],
        check: bool = True,
    ) -> None:
        self.inputs, self.outputs = list(inputs), list(outputs)
        self.method, self.options, self.check = method, dict(options), check
        self.graphs = [InnerGraph(self.inputs, outs) for outs in self.functions()]

    def functions(self) -> list[list[Variable]]:
        """Return the outputs of each inner graph."""
        raise NotImplementedError(f"{type(self).__name__}.functions")

    def has_loop(self) -> bool:
        """Whether the method, with these options, has a compiled loop."""
        raise NotImplementedError(f"{type(self).__name__}.has_loop")

    @property
    def moving(self) -> list[Variable]:
        return self.inputs[: self.n_moving]

    @property
    def parameters(self) -> list[Variable]:
        return self.inputs[self.n_moving :]

    def rewritten(self, rewrite: Callable[[Any, Any], Any]) -> Self:
        new = copy(self)
        new.graphs = [InnerGraph(*rewrite(g.inputs, g.outputs)) for g in self.graphs]
        return new

    @property
    def inner_graphs(self) -> Sequence[InnerGraph]:
        return self.graphs

    def inner_graph(self, node: Apply) -> tuple[list[Variable], dict[Variable, Variable]]:
        outer = self.by_inner(node.inputs)
        results = [v for graph in self.graphs for v in graph.outputs]
        inner = [v for graph in self.graphs for v in graph.inputs]
        return results, dict(zip(inner, outer * len(self.graphs), strict=True))

    def by_inner(self, given: Sequence[Any]) -> list[Any]:
        """Return one entry per inner input, of one per input of a node."""
        return list(given)

    def _facts(self) -> tuple[Any, ...]:
        return type(self), self.method, self.check, len(self.graphs)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, SolverOp) or self._facts() != other._facts():
            return False
        if not _same(self.options, other.options):
            return False
        mine, others = self.graphs, other.graphs
        return [v.type for v in self.inputs] == [v.type for v in other.inputs] and all(
            equal_computations(a.outputs, b.outputs, a.inputs, b.inputs)
            for a, b in zip(mine, others, strict=True)
        )

    def __hash__(self) -> int:
        return hash((*self._facts(), *(v.type for v in self.inputs)))

    def __str__(self) -> str:
        return f"{type(self).__name__}{{{self.method}}}"

    @cached_property
    def runs_on(self) -> str:  # type: ignore[override]
        """'host' without a compiled loop, or if sizes change while the loop runs; else 'any'."""
        if not self.has_loop() or any(graph.needs_host for graph in self.graphs):
            return "host"
        if not all(isinstance(v.type, TensorType | Scalar) for v in self.inputs):
            return "host"
        sizes = [e for g in self.graphs for es in g.opened().demands.values() for e in es]
        inner = {v for g in self.graphs for v in g.inputs[: self.n_moving]}
        return "host" if depend(sizes, inner) else "any"

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        given = self.by_inner(node.inputs)
        # an input may have more dimensions than the inner variable: a row for each time
        lengths = [
            s[len(s) - v.type.ndim :] if isinstance(v.type, TensorType) else s
            for s, v in zip(self.by_inner(shapes), self.inputs, strict=True)
        ]
        return [e for graph in self.graphs for e in graph.demands(given, lengths)]

    def connected(self, outputs: Sequence[Variable]) -> list[bool]:
        """Return, for each inner input, whether one of ``outputs`` depends on it."""
        return [any(row) for row in connections(self.inputs, outputs)]

    # running

    def compute(self, xp: ArrayNamespace, *inputs: Array) -> Any:
        if xp.name != "numpy":
            return self.lower_xla(xp, (), *inputs)
        return self.on_host(*inputs)

    def on_host(self, *inputs: Any) -> Any:
        """Return the outputs, computed by SciPy."""
        raise NotImplementedError(f"{type(self).__name__}.on_host")

    def host_calls(self, parameters: Sequence[Any]) -> list[Call]:
        """Return a function for each inner graph, from and to float64, which SciPy computes in."""

        def call_of(graph: InnerGraph) -> Call:
            dtypes = [v.type.numpy_dtype for v in graph.inputs[: self.n_moving]]

            def call(*values: Any) -> list[Any]:
                moved = [np.asarray(x, d) for x, d in zip(values, dtypes, strict=True)]
                results = graph.run(*moved, *parameters)
                # SciPy may keep or overwrite them
                return [np.array(y, "float64") for y in results]

            return call

        return [call_of(graph) for graph in self.graphs]

    def xla_calls(
        self, xp: ArrayNamespace, sizes: Sequence[int], parameters: Sequence[Any]
    ) -> tuple[list[Call], Callable[..., list[Any]]]:
        """Return a function for each inner graph, and one that returns all flags at a point.

        Where a check fails, the results are NaN: the algorithm moves away, or does not converge.
        """
        rest = list(sizes)
        own = []
        for graph in self.graphs:
            own.append(rest[: graph.demand_count])
            rest = rest[graph.demand_count :]

        def call_of(graph: InnerGraph, sizes: Sequence[int]) -> Call:
            def call(*values: Any) -> list[Any]:
                outs, flags = graph.lower(xp, sizes, [*values, *parameters])
                kinds = [v.type.numpy_dtype for v in graph.outputs]
                outs = [xp.astype(x, d) for x, d in zip(outs, kinds, strict=True)]
                for flag in flags:
                    outs = [xp.where(xp.all(xp.asarray(flag)), x, np.nan) for x in outs]
                return outs

            return call

        def flags(*values: Any) -> list[Any]:
            results: list[Any] = []
            for graph, sizes in zip(self.graphs, own, strict=True):
                if graph.is_checked:
                    results += graph.lower(xp, sizes, [*values, *parameters])[1]
            return results

        return [call_of(g, s) for g, s in zip(self.graphs, own, strict=True)], flags


def _same(a: Any, b: Any) -> bool:
    """Whether two options are equal; arrays element by element."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_same(a[k], b[k]) for k in a)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return type(a) is type(b) and bool(a == b)
