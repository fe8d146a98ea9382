"""Batches whose elements have different intermediate shapes: run that subgraph per element."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from theano._src.control.inner_graph import InnerShapes
from theano._src.control.op_from_graph import OpFromGraph
from theano._src.graph import source_line
from theano._src.graph.clone import rebuild
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.walk import nodes_of


def gathered(
    outputs: Sequence[Variable], is_batched: Collection[Variable], plain: Collection[Variable]
) -> list[Variable]:
    """Return ``outputs`` with all nodes that produce or read ragged variables merged into one.

    A variable is ragged if its shape depends on values of ``is_batched``, not on shapes alone.
    """
    order = nodes_of(outputs, {*is_batched, *plain})
    ragged = _ragged(order, is_batched)
    part = _between(order, ragged)
    inside = {v for node in part for v in node.outputs}
    used = {v for node in order if node not in part for v in node.inputs}.union(outputs)
    outs = [v for node in order if node in part for v in node.outputs if v in used]
    ins = dict.fromkeys(
        v
        for node in order
        if node in part
        for v in node.inputs
        if v not in inside and not isinstance(v, Constant)
    )
    with source_line.paused():
        free = {v: v.type() for v in ins}
        op = OpFromGraph(list(free.values()), rebuild(outs, free), name="rows")
        result = op(*ins, return_list=True)
    # variables to be replaced stay as they are, even if they are computed
    memo = {v: v for v in (*is_batched, *plain)}
    return rebuild(outputs, dict(zip(outs, result, strict=True)), memo=memo)


def _ragged(order: Sequence[Apply], is_batched: Collection[Variable]) -> set[Variable]:
    results = [v for node in order for v in node.outputs]
    with source_line.paused():
        opened = InnerShapes(list(is_batched), results)
        lengths = dict(zip(results, opened.lengths, strict=True))
    hanging = set(is_batched)
    for node in nodes_of([n for item in lengths.values() for n in item or ()]):
        if any(v in hanging for v in node.inputs):
            hanging.update(node.outputs)
    return {v for v, item in lengths.items() if any(n in hanging for n in item or ())}


def _between(order: Sequence[Apply], ragged: set[Variable]) -> set[Apply]:
    """Return the nodes that produce or read ragged variables, and all nodes between them."""
    own = {n for n in order if any(v in ragged for v in (*n.inputs, *n.outputs))}
    after: set[Variable] = set()
    below: set[Apply] = set()
    for node in order:
        if node in own or any(v in after for v in node.inputs):
            after.update(node.outputs)
            below.add(node)
    before: set[Variable] = set()
    part: set[Apply] = set()
    for node in reversed(order):
        if node in own or any(v in before for v in node.outputs):
            before.update(node.inputs)
            if node in below:
                part.add(node)
    return part
