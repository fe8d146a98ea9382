"""Rules of ops with graphs inside: loops, OpFromGraph and ifelse."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from theano._src.control.batching import batched
from theano._src.control.inner_graph import InnerGraph
from theano._src.control.scan.structure import ScanInputs, ScanOutputs
from theano._src.control.sparsity.dependence import Dependence, concatenated, union
from theano._src.control.sparsity.entries import Result
from theano._src.control.sparsity.walk import (
    Row,
    State,
    Step,
    UnknownShape,
    Walk,
    conservative,
    inner_walk,
)
from theano._src.graph import source_line, testvalue
from theano._src.graph.graph import Apply
from theano._src.graph.op_table import OpTable
from theano._src.types.tensor import TensorType, tensor_type

Table = OpTable[Row]


def or_conservative(rule: Callable[[Step], Result]) -> Callable[[Step], Result]:
    """Return a rule that is conservative where a shape inside is unknown."""

    def either(step: Step) -> Result:
        try:
            return rule(step)
        except UnknownShape:
            return conservative(step)

    return either


def of_graph(step: Step) -> Result:
    """An OpFromGraph: the dependences of the graph inside, unless its derivatives are given."""
    op = step.node.op
    if op._pattern is not None or (op.lop_overrides, op.rop_overrides) != ("default", "default"):
        return conservative(step)
    return inner_walk(op.graph, step.table).run(step.ins)


def reads_of_graph(node: Apply, table: Table) -> Iterable[int]:
    walk = inner_walk(node.op.graph, table)
    return [i for i, v in enumerate(walk.inputs) if v in walk.read]


def either(step: Step) -> Result:
    """The branch that is taken, or the union of both if the condition is not known."""
    condition, *values = step.ins
    n = step.node.op.n_outs
    if condition.value is not None:
        return values[:n] if condition.value else values[n:]
    results: list[Any] = []
    for shape, then, other in zip(step.shapes, values[:n], values[n:], strict=True):
        if then.shape is None or then.shape != other.shape:
            return conservative(step)
        results.append(State(shape, union([then.depends, other.depends])))
    return results


def reads_of_scan(node: Apply, table: Table) -> Iterable[int]:
    op = node.op
    walk = inner_walk(op.graph, table)
    first = 1 + op.bounded
    return [0, *(first + i for i, v in enumerate(walk.inputs) if v in walk.read)]


def scan(step: Step) -> Result:
    """A loop: one step after another, or all at once if no step needs another one."""
    op = step.node.op
    given = op.given(step.ins)
    if given.n.value is None or any(s.shape is None for s in given.sequences):
        return conservative(step)
    n = int(given.n.value)
    if not op.n_states and n > 1 and not op.until:
        walk = _all_steps(op, step.table)
        if walk is not None:
            rows = walk.run([*given.sequences, *given.non_sequences])
            result: Result = op.only_kept(ScanOutputs(rows, [], None))
            return result
    return _step_by_step(step, given, n)


def _step_by_step(step: Step, given: ScanInputs, n: int) -> Result:
    op, walk = step.node.op, inner_walk(step.node.op.graph, step.table)
    states: list[State] = list(given.states)
    stacked: list[list[Dependence | None]] = [[None] * n for _ in op.is_stacked]
    sizes = [0] * len(op.is_stacked)
    may_end: list[list[State]] = [[s] for s in states]
    for t in reversed(range(n)) if op.reverse else range(n):
        elements = [_element(s, t) for s in given.sequences]
        outs = walk.run([*elements, *states, *given.non_sequences])
        for k, state in enumerate(outs[: len(op.is_stacked)]):
            stacked[k][t], sizes[k] = state.depends, math.prod(state.shape or ())
        states = outs[: op.n_states]
        for k, state in enumerate(states):
            may_end[k].append(state)
    rows = [concatenated(r, [size] * n) for r, size in zip(stacked, sizes, strict=True)]
    finals = [
        union(s.depends for s in all_of) if op.until or op.bounded else all_of[-1].depends
        for all_of in may_end
    ]
    result: Result = op.only_kept(ScanOutputs(rows, finals, None))
    return result


def _element(sequence: State, t: int) -> State:
    """Return one element of a sequence."""
    assert sequence.shape is not None
    shape = sequence.shape[1:]
    size = math.prod(shape)
    depends = sequence.depends
    if depends is not None:
        depends = depends.take(np.arange(t * size, (t + 1) * size))
    value = None if sequence.value is None else sequence.value[t, ...]
    return State(shape, depends, value)


_batches: WeakKeyDictionary[InnerGraph, Any] = WeakKeyDictionary()


def _all_steps(op: Any, table: Table) -> Walk | None:
    """Return the walk of all steps of a loop without states; None if there is none."""
    if op.graph not in _batches:
        _batches[op.graph] = _batched(op, table)
    walk: Walk | None = _batches[op.graph]
    return walk


def _batched(op: Any, table: Table) -> Walk | None:
    inner = op.inner
    kinds = [v.type for v in (*inner.sequences, *op.outs)]
    if not inner.sequences or not all(isinstance(k, TensorType) for k in kinds):
        return None
    rows = [tensor_type(v.type.dtype, (False, *v.type.broadcastable))() for v in inner.sequences]
    with source_line.paused(), testvalue.under("off"):
        outs = batched(op.outs, dict(zip(inner.sequences, rows, strict=True)), {})
    return Walk([*rows, *inner.non_sequences], outs, table)
