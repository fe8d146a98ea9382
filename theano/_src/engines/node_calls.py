"""What a node does on host values, as a function of its inputs' values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from theano._src.engines.link import Cells, fitted, make_thunk
from theano._src.graph.graph import Apply
from theano._src.graph.op import meaning_of, perform_of
from theano._src.types.tensor import TensorType


def call_of(node: Apply, cells: Cells) -> Callable[..., Any]:
    """A function of the node's input values that gives its output values."""
    match meaning_of(node.op):
        case "compute":
            return _of_compute(node)
        case "perform":
            return _of_perform(node)
        case _:
            return _of_thunk(node, cells)


def _of_compute(node: Apply) -> Callable[..., Any]:
    if not type(node.op).__module__.startswith("theano."):
        return _of_perform(node)  # casts and checks; our own ops are tested to need neither
    run: Callable[..., Any] = node.op.bind(node)
    flat = [isinstance(v.type, TensorType) and v.type.ndim == 0 for v in node.outputs]
    if not any(flat):
        return run
    asarray = np.asarray
    if len(flat) == 1:
        # NumPy gives scalars where arrays have no dimension
        return lambda *values: asarray(run(*values))
    return lambda *values: [asarray(x) if f else x for x, f in zip(run(*values), flat, strict=True)]


def _of_perform(node: Apply) -> Callable[..., Any]:
    perform, n = perform_of(node.op), len(node.outputs)

    def run(*values: Any) -> Any:
        storage: list[list[Any]] = [[None] for _ in range(n)]
        perform(node, list(values), storage)
        made = [fitted(node, i, cell[0]) for i, cell in enumerate(storage)]
        return made[0] if n == 1 else made

    return run


def _of_thunk(node: Apply, cells: Cells) -> Callable[..., Any]:
    own: Cells = {v: [None] for v in (*node.inputs, *node.outputs)}
    computed: Cells = {v: [v.owner is None or v in node.inputs] for v in own}
    thunk = make_thunk(node, own, computed)
    ins = [own[v] for v in node.inputs]
    outs = [own[v] for v in node.outputs]
    done = [computed[v] for v in node.outputs]

    def run(*values: Any) -> Any:
        for cell, value in zip(ins, values, strict=True):
            cell[0] = value
        for cell, flag in zip(outs, done, strict=True):
            cell[0], flag[0] = None, False
        thunk()
        made = [fitted(node, i, cell[0]) for i, cell in enumerate(outs)]
        for cell in (*ins, *outs):
            cell[0] = None
        return made[0] if len(made) == 1 else made

    return run
