"""Rows whose shapes differ on the way: what depends on them is computed whole for each row."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from theano._src.control.innergraph import Opened
from theano._src.control.opfromgraph import OpFromGraph
from theano._src.graph import trace
from theano._src.graph.clone import rebuild
from theano._src.graph.node import Apply
from theano._src.graph.variable import Constant, Variable
from theano._src.graph.walk import nodes_of


def gathered(
    outputs: Sequence[Variable], moved: Collection[Variable], plain: Collection[Variable]
) -> list[Variable]:
    """``outputs``, where nodes that make or take ragged variables are one node together.

    A variable is ragged if its shape hangs on values of ``moved``, not on their shapes alone.
    """
    order = nodes_of(outputs, {*moved, *plain})
    ragged = _ragged(order, moved)
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
    with trace.paused():
        free = {v: v.type() for v in ins}
        op = OpFromGraph(list(free.values()), rebuild(outs, free), name="rows")
        made = op(*ins, return_list=True)
    # variables that are replaced stay what they are, also where they are computed
    memo = {v: v for v in (*moved, *plain)}
    return rebuild(outputs, dict(zip(outs, made, strict=True)), memo=memo)


def _ragged(order: Sequence[Apply], moved: Collection[Variable]) -> set[Variable]:
    made = [v for node in order for v in node.outputs]
    with trace.paused():
        opened = Opened(list(moved), made)
        lengths = dict(zip(made, opened.lengths, strict=True))
    hanging = set(moved)
    for node in nodes_of([n for found in lengths.values() for n in found or ()]):
        if any(v in hanging for v in node.inputs):
            hanging.update(node.outputs)
    return {v for v, found in lengths.items() if any(n in hanging for n in found or ())}


def _between(order: Sequence[Apply], ragged: set[Variable]) -> set[Apply]:
    """The nodes that make or take ragged variables, and all that lies between two of them."""
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
