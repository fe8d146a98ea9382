"""What the nodes inside of a loop, or of another op that holds graphs, take: one timed run."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from time import perf_counter as clock
from typing import Any

from theano._src.engines.link import map_storage
from theano._src.engines.node_times import NodeTimes
from theano._src.engines.numpy_engine import NumpyProgram, is_function
from theano._src.graph.destroy import DestroyHandler
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply


def look_inside(
    node: Apply, run: Callable[..., Any], values: Sequence[Any]
) -> list[tuple[Apply, float, int]]:
    """Run a node on NumPy, on copies of values: its inner nodes, their share of it, their runs.

    Nothing of a node that does more than to give values: it must not run twice.
    """
    if not is_function(node):
        return []
    found: list[NodeTimes] = []
    graphs = list(node.op.inner_graphs)
    before = [vars(graph).get("run") for graph in graphs]
    try:
        for graph in graphs:
            times, step = _timed(graph)
            found.append(times)
            graph.run = step
        given = [copy.copy(value) for value in values]
        begin = clock()
        run(*given)
        whole = clock() - begin
    finally:
        for graph, own in zip(graphs, before, strict=True):
            if own is None:
                vars(graph).pop("run", None)
            else:
                graph.run = own
    # looking at the clock in each step is no part of the loop
    whole -= sum(times.looking for times in found)
    spent = sum(map(sum, (times.seconds for times in found)))
    whole = max(whole, spent)
    return [
        (inner, times.seconds[i] / whole, times.calls[i])
        for times in found
        for i, inner in enumerate(times.nodes)
        if times.calls[i] and whole
    ]


def _timed(graph: Any) -> tuple[NodeTimes, Callable[..., Any]]:
    fgraph = FunctionGraph(list(graph.inputs), list(graph.outputs))
    if any(getattr(n.op, "destroy_map", None) for n in fgraph.apply_nodes):
        fgraph.attach_feature(DestroyHandler())  # the order of nodes matters
    order = fgraph.toposort()
    cells = map_storage(fgraph, order, None, None)[2]
    times = NodeTimes(fgraph, order)
    times.keeps_events = False
    step = NumpyProgram(fgraph, cells, order, True, times).direct(range(len(graph.inputs)))
    if step is None:
        raise TypeError("a graph inside an op takes all its inputs as arguments")
    return times, step
