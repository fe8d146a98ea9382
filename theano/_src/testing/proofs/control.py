"""Branches and loops: a loop of a known length is its steps, one after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.control.ifelse import IfElse
from theano._src.control.scan.op import Scan
from theano._src.control.scan.structure import ScanOutputs
from theano._src.graph.graph import Apply
from theano._src.ops.elementwise.compare import switch
from theano._src.testing.proofs.symbols import (
    Array,
    array_meaning,
    checks_itself,
    each,
    evaluate_symbols,
    is_symbolic,
    symbolic,
)
from theano._src.testing.proofs.world import NoReading, World


def _ifelse(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    condition, *values = args
    n = node.op.n_outs
    if not is_symbolic(condition):
        return list(values[:n] if condition else values[n:])
    outputs = []
    for a, b in zip(values[:n], values[n:], strict=True):
        if a.shape != b.shape:
            raise NoReading("branches of other lengths")
        outputs.append(each(world, switch, condition, a, b))
    return outputs


def _loop(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    op = node.op
    given = op.given(args)
    if any(map(is_symbolic, args[: 1 + op.bounded])):
        raise NoReading("loops whose number of steps depends on numbers")
    op.validate(node, args)
    n = int(given.n)
    steps = n if given.steps is None else min(int(given.steps), n)
    states = list(given.states)
    rows: dict[int, list[Array]] = {}
    for t in reversed(range(steps)) if op.reverse else range(steps):
        sequences = [np.asarray(x[t], x.dtype) for x in given.sequences]
        values = [*sequences, *states, *given.non_sequences]
        inner = dict(zip(op.inner_inputs, values, strict=True))
        *rows[t], go = evaluate_symbols(world, [*op.outs, op.condition or op.outs[0]], inner)
        states = rows[t][: op.n_states]
        if op.until and is_symbolic(go):
            raise NoReading("loops that end by a real number")
        if op.until and go:
            break
    shapes = (
        op.shapes_of_none(given) if not rows else [np.shape(y) for y in next(iter(rows.values()))]
    )
    stacked: list[Any] = [None] * len(op.is_stacked)
    for k, v in enumerate(op.outs):
        if op.is_stacked[k]:
            # rows of steps that did not run are 0
            none = np.zeros(shapes[k], v.type.numpy_dtype)
            stacked[k] = _stacked(
                world, [rows[t][k] if t in rows else none for t in range(n)], none
            )
    return list(op.only_kept(ScanOutputs(stacked, states, np.asarray(len(rows)))))


def _stacked(world: World, rows: list[Array], none: Array) -> Array:
    if not rows:
        return none[None][:0]
    if any(map(is_symbolic, rows)):
        rows = [symbolic(world, r) for r in rows]
    return np.stack(rows)


array_meaning[IfElse], array_meaning[Scan] = _ifelse, _loop
checks_itself.update((_ifelse, _loop))
