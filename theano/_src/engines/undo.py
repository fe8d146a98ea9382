"""Parts of state that are about to be overwritten, kept until the call has succeeded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op_table import OpTable
from theano._src.graph.walk import view_roots
from theano._src.ops.index.index_list import run_index

Array = np.ndarray[Any, Any]
#: what was in a part of an array: the array, the index of the part, its values
Kept = tuple[Array, Any, Array]

#: The part of its first input that an op overwrites, as an index of NumPy: a function of the op and
#: of the values of its inputs after the second.
# fmt: off
written_at: OpTable[Callable[[Any, Sequence[Any]], Any]] = OpTable({
    "theano.tensor.subtensor.IncSubtensor":             lambda op, i: run_index(op.idx_list, i),
    "theano.tensor.subtensor.AdvancedIncSubtensor1":    lambda op, i: i[0],
    "theano.tensor.subtensor.BaseAdvancedIncSubtensor": lambda op, i: op.numpy_index(i),
}, by_meaning=True)
# fmt: on


def can_be_undone(node: Apply, gone: Collection[Variable]) -> bool:
    """Whether a node overwrites a part of its first input, and says which, as long as needed.

    ``gone`` are the variables whose memory is overwritten: the index must not be one of them.
    """
    op = node.op
    return (
        written_at.get(op) is not None
        and op.destroy_map == {0: [0]}
        and not any(root in gone for v in node.inputs[2:] for root in view_roots(v))
    )


def keeper(node: Apply) -> Callable[..., Array]:
    """A function of a journal, an array and an index: keeps the part that a node will overwrite.

    It returns the array. An index out of range raises here what it would when writing.
    """
    op, index_of = node.op, written_at[node.op]

    def keep(journal: list[Kept], x: Array, *values: Any) -> Array:
        if x.flags.writeable:  # others are copied by the op
            index = index_of(op, values)
            part = x[index]
            journal.append((x, index, part.copy() if np.may_share_memory(part, x) else part))
        return x

    return keep


def put_back(journal: list[Kept]) -> None:
    """Undo what was written, the last first."""
    for x, index, part in reversed(journal):
        x[index] = part
