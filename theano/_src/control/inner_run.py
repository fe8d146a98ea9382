"""Evaluate the graph inside an op with any array namespace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.walk import nodes_of
from theano._src.ground.array_types import ArrayNamespace
from theano._src.ground.xp import numpy_xp
from theano._src.types.run_node import lower_node, run_node


def value_of(v: Variable, values: dict[Variable, Any]) -> Any:
    """Return a constant's data, or the known value of another variable."""
    return v.data if isinstance(v, Constant) else values[v]


def evaluate_inner(
    xp: ArrayNamespace,
    order: Sequence[Apply],
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    values: Sequence[Any],
) -> list[Any]:
    """Compute the values of ``outputs``; ``values`` are the values of ``inputs``."""
    known: dict[Variable, Any] = dict(zip(inputs, values, strict=True))
    for node in order:
        args = [value_of(v, known) for v in node.inputs]
        result = run_node(node, args) if xp is numpy_xp else lower_node(xp, node, (), args)[0]
        known.update(zip(node.outputs, result, strict=True))
    return [value_of(v, known) for v in outputs]


Run = Callable[..., list[Any]]


def by_nodes(inputs: Sequence[Variable], outputs: Sequence[Variable]) -> Run:
    """Return a function that computes the outputs from input values on NumPy, node by node."""
    ins, outs = list(inputs), list(outputs)
    order = nodes_of(outs, ins)
    return lambda *values: evaluate_inner(numpy_xp, order, ins, outs, values)


_make: Callable[[Sequence[Variable], Sequence[Variable]], Run] = by_nodes


def function_of(inputs: Sequence[Variable], outputs: Sequence[Variable]) -> Run:
    """Return the fastest available function from input values to outputs on NumPy."""
    return _make(inputs, outputs)


def install(make: Callable[[Sequence[Variable], Sequence[Variable]], Run]) -> None:
    """Replace the implementation of ``function_of``; an engine installs a faster one."""
    global _make
    _make = make


@contextmanager
def run_inside(node: Apply, make: Callable[[Any], Run]) -> Iterator[None]:
    """Within the block, run each inner graph of a node by ``make(graph)``."""
    graphs = list(node.op.inner_graphs)
    before = [vars(graph).get("run") for graph in graphs]
    try:
        for graph in graphs:
            graph.run = make(graph)
        yield
    finally:
        for graph, own in zip(graphs, before, strict=True):
            if own is None:
                vars(graph).pop("run", None)
            else:
                graph.run = own
