"""Forward-mode derivative of Scan: a loop that also carries tangents (ADR 11)."""

from __future__ import annotations

from typing import Any

from theano._src.control.scan.gradient import _as, _continuous, _n_outputs
from theano._src.control.scan.structure import ScanStructure
from theano._src.grad.products import Rop
from theano._src.graph import testvalue
from theano._src.ops.meta import misc


def pushed_forward(op: ScanStructure, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
    """Return the tangents of a loop's outputs, from a loop that carries values and tangents."""
    with testvalue.under("off"):
        results = _forwards(op, inputs, eval_points)
    testvalue.give(results, {*inputs, *eval_points})
    return results


def _forwards(op: ScanStructure, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
    inner, given, points = op.inner, op.given(inputs), op.given(eval_points)
    inner_pattern = op.inner_pattern()
    moving = [j for j, p in enumerate(points.states) if p is not None]
    sequences = [i for i, p in enumerate(points.sequences) if p is not None]
    non_sequences = [i for i, p in enumerate(points.non_sequences) if p is not None]
    starts = [
        *sequences,
        *(op.n_sequences + j for j in moving),
        *(op.n_sequences + op.n_states + i for i in non_sequences),
    ]
    if not starts:
        return [None] * _n_outputs(op)
    active = set(moving)
    todo = list(starts)
    reached: set[int] = set()
    while todo:
        i = todo.pop()
        for k, one in enumerate(inner_pattern[i]):
            if one and k not in reached and _continuous(op.outs[k]):
                reached.add(k)
                if k < op.n_states:
                    active.add(k)
                    todo.append(op.n_sequences + k)
    states = sorted(active)
    d_x = {i: inner.sequences[i].type() for i in sequences}
    d_s = {j: inner.states[j].type() for j in states}
    d_w = {i: inner.non_sequences[i].type() for i in non_sequences}
    wrt = [
        *(inner.sequences[i] for i in sequences),
        *(inner.states[j] for j in states),
        *(inner.non_sequences[i] for i in non_sequences),
    ]
    wanted = [*states, *(k for k in sorted(reached) if k >= op.n_states)]
    outs = op.outs
    # a view of each: an output may be one of the inputs
    result = Rop(
        [misc.view_op(outs[k]) for k in wanted], wrt, [*d_x.values(), *d_s.values(), *d_w.values()]
    )
    tangents = {k: _as(outs[k], t) for k, t in zip(wanted, result, strict=True)}
    new_states = [*outs[: op.n_states], *(tangents[j] for j in states)]
    new_outs = [tangents[k] for k in wanted if k >= op.n_states]
    end = [op.condition] if op.until else []
    step = op.changed(
        inner_inputs=[
            *inner.sequences,
            *d_x.values(),
            *inner.states,
            *d_s.values(),
            *inner.non_sequences,
            *d_w.values(),
        ],
        inner_outputs=[*new_states, *new_outs, *end],
        n_sequences=op.n_sequences + len(d_x),
        n_states=len(new_states),
        is_stacked=[False] * op.n_states + [True] * (len(states) + len(new_outs)),
        final=[False] * op.n_states + [True] * len(states),
        name=f"rop_of_{op.name or 'scan_fn'}",
    )
    first = [_tangent(points.states[j], given.states[j]) for j in states]
    counts = [given.n] if given.steps is None else [given.n, given.steps]
    out = step.split_outputs(
        step(
            *counts,
            *given.sequences,
            *(points.sequences[i] for i in sequences),
            *given.states,
            *first,
            *given.non_sequences,
            *(points.non_sequences[i] for i in non_sequences),
            return_list=True,
        )
    )
    stacked_outputs: list[Any] = [None] * len(op.is_stacked)
    finals: list[Any] = [None] * op.n_states
    for a, j in enumerate(states):
        stacked_outputs[j], finals[j] = (
            out.stacked_outputs[op.n_states + a],
            out.finals[op.n_states + a],
        )
    for a, k in enumerate(k for k in wanted if k >= op.n_states):
        stacked_outputs[k] = out.stacked_outputs[len(new_states) + a]
    return op.only_kept(type(out)(stacked_outputs, finals, None))


def _tangent(point: Any, state: Any) -> Any:
    return state.zeros_like() if point is None else point
