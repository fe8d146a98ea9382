"""Batching rule of Scan: one loop whose steps compute the whole batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.control.batching import batched, batched_type
from theano._src.control.scan.structure import ScanStructure
from theano._src.graph.graph import Apply
from theano._src.ops.shape.batch_helpers import repeat_batched
from theano._src.ops.shape.shape import shape_i


def batch_rule(
    op: ScanStructure, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
) -> list[Any] | None:
    """Return a loop's outputs for a batch; None if batch elements may end at different steps."""
    flags = op.given(is_batched)
    if flags.n or flags.steps:
        return None
    with_rows = _with_rows(op, is_batched[1 + op.bounded :])
    if op.condition is not None and op.condition in with_rows:
        return None
    given = op.given(inputs)
    n = shape_i(next(x for x, m in zip(inputs, is_batched, strict=True) if m), 0)
    fresh = {v: batched_type(v.type)(name=v.name) for v in op.inner_inputs if v in with_rows}
    outs = op.outs
    changing = [v for v in dict.fromkeys(outs) if v in with_rows]
    new = dict(zip(changing, batched(changing, fresh), strict=True)) if changing else {}
    rows = [new.get(v) for v in outs]
    for k, v in enumerate(op.inner.states):
        if v in fresh and rows[k] is None:  # only the initial state is batched
            rows[k] = repeat_batched(outs[k], shape_i(fresh[v], 0))
    end = [op.condition] if op.condition is not None else []
    whole = op.changed(
        inner_inputs=[fresh.get(v, v) for v in op.inner_inputs],
        inner_outputs=[*(v if r is None else r for v, r in zip(outs, rows, strict=True)), *end],
    )
    counts = [given.n] if given.steps is None else [given.n, given.steps]
    result = whole.split_outputs(
        whole(
            *counts,
            *(
                _steps_first(x) if m else x
                for x, m in zip(given.sequences, flags.sequences, strict=True)
            ),
            *(
                x if m or v not in fresh else repeat_batched(x, n)
                for v, x, m in zip(op.inner.states, given.states, flags.states, strict=True)
            ),
            *given.non_sequences,
            return_list=True,
        )
    )
    stacked_outputs = [
        t if t is None or r is None else _steps_first(t)
        for t, r in zip(result.stacked_outputs, rows, strict=True)
    ]
    return op.only_kept(result._replace(stacked_outputs=stacked_outputs))


def _with_rows(op: ScanStructure, is_batched: Sequence[bool]) -> set[Any]:
    """Return the inner variables that differ within the batch."""
    readers: dict[Any, list[Any]] = {}
    for inner in op.order:
        for v in inner.inputs:
            readers.setdefault(v, []).extend(inner.outputs)
    for v, new in zip(op.inner.states, op.outs, strict=False):
        readers.setdefault(new, []).append(v)
    todo = [v for v, m in zip(op.inner_inputs, is_batched, strict=True) if m]
    results: set[Any] = set()
    while todo:
        v = todo.pop()
        if v not in results:
            results.add(v)
            todo += readers.get(v, ())
    return results


def _steps_first(x: Any) -> Any:
    """Swap the batch dimension and the step dimension."""
    return x.dimshuffle(1, 0, *range(2, x.ndim))
