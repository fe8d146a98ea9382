"""Times of the nodes inside a loop, or another op with inner graphs, from one timed run."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from time import perf_counter as clock
from typing import Any

from theano._src.control.inner_run import run_inside
from theano._src.engines.node_kinds import is_function
from theano._src.engines.node_times import NodeTimes
from theano._src.engines.numpy.engine import plan_of
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply


def look_inside(
    node: Apply, run: Callable[..., Any], values: Sequence[Any]
) -> list[tuple[Apply, float, int]]:
    """Run a node on NumPy on copies of values; return inner nodes, shares of the time, and runs.

    The list is empty for a node that is not a pure function: it must not run twice.
    """
    if not is_function(node):
        return []
    result: list[NodeTimes] = []

    def times(fgraph: FunctionGraph, order: list[Apply]) -> NodeTimes:
        rows = NodeTimes(fgraph, order)
        rows.keeps_events = False
        result.append(rows)
        return rows

    with run_inside(node, lambda graph: plan_of(graph.inputs, graph.outputs, times)):
        given = [copy.copy(value) for value in values]
        begin = clock()
        run(*given)
        whole = clock() - begin
    # reading the clock in each step is not part of the loop
    whole -= sum(each.looking for each in result)
    spent = sum(map(sum, (each.seconds for each in result)))
    whole = max(whole, spent)
    return [
        (inner, each.seconds[i] / whole, each.calls[i])
        for each in result
        for i, inner in enumerate(each.nodes)
        if each.calls[i] and whole
    ]
