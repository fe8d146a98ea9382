"""A journal of the overwritten parts of state, kept until the call has succeeded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op_table import OpTable
from theano._src.graph.walk import view_roots
from theano._src.ops.index.index_list import run_index

Array = np.ndarray[Any, Any]
#: the previous content of a part of an array: the array, the index of the part, its values
Kept = tuple[Array, Any, Array]

#: The part of its first input that an op overwrites, as a NumPy index: a function of the op and the
#: values of its inputs after the second.
# fmt: off
written_at: OpTable[Callable[[Any, Sequence[Any]], Any]] = OpTable({
    "theano.tensor.subtensor.IncSubtensor":             lambda op, i: run_index(op.idx_list, i),
    "theano.tensor.subtensor.AdvancedIncSubtensor1":    lambda op, i: i[0],
    "theano.tensor.subtensor.BaseAdvancedIncSubtensor": lambda op, i: op.numpy_index(i),
}, by_meaning=True)
# fmt: on


def can_be_undone(node: Apply, gone: Collection[Variable]) -> bool:
    """Whether a node overwrites a part of its first input whose index is known when undoing.

    ``gone`` are the variables whose memory is overwritten: the index must not be one of them.
    """
    op = node.op
    return (
        written_at.get(op) is not None
        and op.destroy_map == {0: [0]}
        and not any(root in gone for v in node.inputs[2:] for root in view_roots(v))
    )


def keeper(node: Apply) -> Callable[..., Array]:
    """Return a function that saves in a journal the part of an array that a node will overwrite.

    The function takes the journal, the array and the index values, and returns the array. An index
    out of range raises the same error here as when writing.
    """
    op, index_of = node.op, written_at[node.op]

    def keep(journal: list[Kept], x: Array, *values: Any) -> Array:
        if x.flags.writeable:  # the op copies read-only arrays
            index = index_of(op, values)
            part = x[index]
            journal.append((x, index, part.copy() if np.may_share_memory(part, x) else part))
        return x

    return keep


def put_back(journal: list[Kept]) -> None:
    """Undo the writes, the last one first."""
    for x, index, part in reversed(journal):
        x[index] = part
