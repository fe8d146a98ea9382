"""The work that a node does, by its op: kinds and amounts, to be multiplied by rates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from theano._src.control.scan.inner_shapes import shapes_inside
from theano._src.engines.choice.work_rows import ROWS, Row, Work
from theano._src.graph.graph import Apply, Constant
from theano._src.graph.op_table import OpTable
from theano._src.ops.core.composite import Composite

# assumed, not measured: the steps of a loop whose length is neither constant nor an array's length
_USUAL_STEPS = 10


def work_of(node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    """Kinds and amounts of work of a node whose inputs and outputs have these shapes.

    >>> import theano.tensor as T
    >>> node = T.sort(T.dvector()).owner
    >>> work_of(node, [(1023,), ()], [(1023,)])
    (('sort', 10230.0),)
    """
    op = node.op
    row = op_work.get(op, "copy")
    if isinstance(row, str):
        return ((row, sum(map(math.prod, outs))),)
    try:
        return row(op, node, ins, outs)
    except Exception:
        if type(op).__module__.startswith("theano."):
            raise
        # a user's op may inherit a row that expects other inputs: an estimate must not fail a call
        return (("copy", sum(map(math.prod, outs))),)


def _elementwise(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    n = math.prod(outs[0])
    scalar_op = op.scalar_op
    if isinstance(scalar_op, Composite):
        return [(_kind(step), n) for step, args in scalar_op.steps if args]
    return [(_kind(scalar_op), n)]


def _kind(scalar_op: Any) -> str:
    row = op_work.get(scalar_op)
    return row if isinstance(row, str) else "light"


def _loop(op: Any, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Work:
    """The work of all steps.

    Their number is the length of the first trace or sequence, or a constant; inner shapes are
    estimated where an op has no simple rule.
    """
    given = op.given(ins)
    rows = [s for s in (*given.sequences, *outs[: sum(op.is_stacked)]) if s]
    length = op.given(node.inputs).n
    n = rows[0][0] if rows else int(length.data) if isinstance(length, Constant) else _USUAL_STEPS
    inside = [*(s[1:] for s in given.sequences), *given.states, *given.non_sequences]
    total: dict[str, float] = {"call": float(n * len(op.order))}
    for step in shapes_inside(op, inside):
        for kind, amount in work_of(*step):
            total[kind] = total.get(kind, 0.0) + n * amount
    total["copy"] = total.get("copy", 0.0) + sum(map(math.prod, outs))
    return list(total.items())


#: The work of ops, by class. A row is a kind, with one unit per element of the outputs, or a
#: function of op, node, input shapes and output shapes that returns pairs of kinds and amounts. An
#: op without a row copies its outputs; the row of a ScalarOp is a kind.
op_work: OpTable[Row] = OpTable(
    {
        **ROWS,
        "theano.tensor.elemwise.Elemwise": _elementwise,
        "theano.scan_module.scan_op.Scan": _loop,
    }
)
