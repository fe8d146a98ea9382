"""Constant folding: compute expressions of constants at compile time."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Constant
from theano._src.graph.testvalue import thunk_of
from theano._src.rewrite.rule import FunctionRule


def fold(node: Apply) -> list[Any] | None:
    """f(constants) -> one constant for each output

    The op decides whether it is folded (``do_constant_folding``). A node that fails is left
    alone: the error is then raised when the function is called, as without rewrites.
    """
    constants: list[Constant] = []
    for v in node.inputs:
        if not isinstance(v, Constant):
            return None
        constants.append(v)
    if not node.op.do_constant_folding(node):
        return None
    # NOTE: an op that overwrites its inputs must not receive the constants themselves
    overwrites = bool(getattr(node.op, "destroy_map", None))
    cells: dict[Any, list[Any]] = {
        v: [copy.deepcopy(v.data) if overwrites else v.data] for v in constants
    }
    done: dict[Any, list[Any]] = {v: [True] for v in node.inputs}
    for out in node.outputs:
        cells[out], done[out] = [None], [False]
    try:
        with np.errstate(all="ignore"):
            waits_for = thunk_of(node.op, node, cells, done)()
        if waits_for:
            return None
        return [v.type.Constant(v.type, _own(cells[v][0])) for v in node.outputs]
    except Exception:
        return None


def _own(value: Any) -> Any:
    """Return a value that keeps no larger array alive."""
    return value.copy() if isinstance(value, np.ndarray) and value.base is not None else value


RULES = (
    FunctionRule(
        fold,
        "constant_folding",
        "canonicalize stabilize specialize",
        tags=("fast_compile",),
        depth=1,
    ),
)
