"""Loops, branches, and ops with an inner graph."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.compile.export.onnx_ops.context import Export, Form
from theano._src.compile.export.onnx_ops.writer import Inner, NoForm, Value
from theano._src.control.ifelse import IfElse
from theano._src.control.lazy_branches import Branches
from theano._src.control.op_from_graph import OpFromGraph
from theano._src.control.scan.op import Scan
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op


def opened(to: Export, node: Apply, *inputs: Value) -> list[Value]:
    """Inline the graph of an op."""
    graph = node.op.graph
    for v, value in zip(graph.inputs, inputs, strict=True):
        to.set(v, value)
    return to.run(graph.order, graph.outputs)


# branches


def branches(to: Export, node: Apply, condition: Value, *values: Value) -> list[Value]:
    """Use If with a subgraph for each branch; only one of them is computed."""
    op = node.op
    if isinstance(op, Branches):
        sides = []
        for k, (side, reads) in enumerate(zip(op.sides, op.reads, strict=True)):
            for v, i in zip(side.inputs, reads, strict=True):
                to.set(v, values[i])
            sides.append(_side(to, ("then", "else")[k], side.order, side.outputs))
    else:
        n = op.n_outs
        sides = [
            _side(to, "then", (), node.inputs[1 : 1 + n]),
            _side(to, "else", (), node.inputs[1 + n :]),
        ]
    dtypes = [to.dtype(v) for v in node.outputs]
    then, otherwise = sides
    return to.to.many(
        "If", [condition.astype(bool)], dtypes, then_branch=then, else_branch=otherwise
    )


def _side(to: Export, name: str, nodes: Sequence[Apply], outputs: Sequence[Variable]) -> Inner:
    with to.to.within():
        result = to.run(nodes, outputs)
        infos = [to.info(to.to.name(f"{name}_{i}"), v) for i, v in enumerate(outputs)]
        return to.to.closed(to.to.name(name), [], result, infos)


# loops


def loop(to: Export, node: Apply, *inputs: Value) -> list[Value]:
    """Use Scan, or Loop if a condition or a number can end it early."""
    if node.op.until or node.op.bounded:
        return _while(to, node, inputs)
    return _for(to, node, inputs)


def _declared(to: Export, variables: Sequence[Variable], kind: str) -> list[Any]:
    infos = []
    for i, v in enumerate(variables):
        # an element of s is named s[t], which is no valid name
        name = to.to.name("_".join(re.findall(r"\w+", v.name or "")) or f"{kind}_{i}")
        to.set(v, Value(to.to, name, to.dtype(v)))
        infos.append(to.info(name, v))
    return infos


def _given(to: Export, op: Scan, inputs: Sequence[Value]) -> Any:
    """The outer values by kind; the step reads non-sequences by their outer names."""
    given = op.given(inputs)
    for v, value in zip(op.inner.non_sequences, given.non_sequences, strict=True):
        to.set(v, value)
    return given


def _results(to: Export, op: Scan, finals: Sequence[Value], rows: Sequence[Value]) -> list[Value]:
    """The outputs of the node, in its order: stacked rows first, then final states."""
    last = [v for v, kept in zip(finals, op.final, strict=True) if kept]
    return [*rows, *last]


def _for(to: Export, node: Apply, inputs: Sequence[Value]) -> list[Value]:
    op, w = node.op, to.to
    given = _given(to, op, inputs)
    states = [x.astype(to.dtype(v)) for x, v in zip(given.states, op.inner.states, strict=True)]
    # without sequences, iterate over the step numbers
    sequences = given.sequences or [w.arange(given.n.astype("int64"))]
    stacked = [v for v, kept in zip(op.outs, op.is_stacked, strict=True) if kept]
    with w.within():
        infos = _declared(to, op.inner.states, "state")
        infos += _declared(to, op.inner.sequences, "element")
        if not op.n_sequences:
            infos.append(to.number_info("t", "int64"))
        outs = to.run(op.order, [*op.outs[: op.n_states], *stacked])
        body = w.closed(w.name(op.name or "step"), infos, outs, _named(to, op, stacked))
    way = int(op.reverse)
    result = w.many(
        "Scan",
        [*states, *sequences],
        [to.dtype(v) for v in (*op.inner.states, *stacked)],
        body=body,
        num_scan_inputs=len(sequences),
        scan_input_directions=[way] * len(sequences),
        scan_output_directions=[way] * len(stacked),
    )
    return _results(to, op, result[: op.n_states], result[op.n_states :])


def _named(to: Export, op: Scan, stacked: Sequence[Variable]) -> list[Any]:
    """The outputs of a step: the new states, and the rows that are stacked."""
    states = [(f"state_{i}_out", v) for i, v in enumerate(op.outs[: op.n_states])]
    rows = [(f"{v.name or 'row'}_out", v) for v in stacked]
    return [to.info(to.to.name(name), v) for name, v in (*states, *rows)]


def _while(to: Export, node: Apply, inputs: Sequence[Value]) -> list[Value]:
    op, w = node.op, to.to
    if op.reverse:
        raise NoForm("a loop that may end early does not go backwards in ONNX")
    given = _given(to, op, inputs)
    states = [x.astype(to.dtype(v)) for x, v in zip(given.states, op.inner.states, strict=True)]
    stacked = [v for v, kept in zip(op.outs, op.is_stacked, strict=True) if kept]
    n = given.n.astype("int64")
    steps = n if given.steps is None else w.op("Min", n, given.steps.astype("int64"))
    with w.within():
        infos = [to.number_info(*one) for one in (("t", "int64"), ("go", bool), ("made", "int64"))]
        t, _, before = (Value(w, info.name, "int64") for info in infos)
        infos += _declared(to, op.inner.states, "state")
        for v, x in zip(op.inner.sequences, given.sequences, strict=True):
            to.set(v, w.op("Gather", x, t, axis=0))
        condition = [] if op.condition is None else [op.condition]
        wanted = [*op.outs[: op.n_states], *stacked]
        outs = to.run(op.order, [*wanted, *condition])
        goes_on = ~outs.pop().astype(bool) if condition else w.constant(True)
        counts = [to.number_info("go_on", bool), to.number_info("steps", "int64")]
        named = [*counts, *_named(to, op, stacked)]
        body = w.closed(w.name(op.name or "step"), infos, [goes_on, before + 1, *outs], named)
    count, *result = w.many(
        "Loop",
        [steps, w.constant(True), w.constant(0, "int64"), *states],
        ["int64", *[to.dtype(v) for v in (*op.inner.states, *stacked)]],
        body=body,
    )
    finals, rows = result[: op.n_states], result[op.n_states :]
    # rows of steps that did not run are 0
    missing = w.vector(n) - w.vector(count)
    full = [_padded(to, x, missing, v.type.ndim) for x, v in zip(rows, stacked, strict=True)]
    results = _results(to, op, finals, full)
    return [*results, count] if op.until else results


def _padded(to: Export, rows: Value, missing: Value, ndim: int) -> Value:
    before = to.to.ints(*[0] * (ndim + 1))
    after = [missing, *([to.to.ints(*[0] * ndim)] if ndim else [])]
    inside = rows.astype("int32") if rows.dtype == np.dtype(bool) else rows
    return to.to.op("Pad", inside, to.to.concat([before, *after])).astype(rows.dtype)


FORMS: dict[type[Op], Form] = {
    OpFromGraph: opened,
    IfElse: branches,
    Branches: branches,
    Scan: loop,
}
