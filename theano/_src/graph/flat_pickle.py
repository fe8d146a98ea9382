"""Pickle and deepcopy deep graphs node by node, without deep recursion.

Both follow references, and a chain of some hundred nodes would exhaust their stack. So the first
variable of a graph that they reach adds the nodes that it is computed from, in topological order:
when a node is pickled, the objects it refers to have been pickled already.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from typing import Any

#: a variable with fewer nodes before it adds no nodes
FEW = 10


class _Batch:
    """Nodes that were added to a pickle; they stay known while a pickler holds them."""

    __slots__ = ("done", "nodes")

    def __init__(self, nodes: deque[Any], batches: dict[int, _Batch]) -> None:
        ids = [id(node) for node in nodes]

        def forget(gone: weakref.ref[deque[Any]]) -> None:
            for i in ids:
                if i in batches and batches[i].nodes is gone:
                    del batches[i]

        self.done = False
        self.nodes = weakref.ref(nodes, forget)


class End:
    """Follows a batch in the pickle and marks it as done; it is loaded as False."""

    def __init__(self, batch: _Batch) -> None:
        self.batch = batch

    def __reduce__(self) -> Any:
        self.batch.done = True
        return bool, ()


class _Known(threading.local):
    """The batches of this thread, by the ids of their nodes."""

    def __init__(self) -> None:
        self.batches: dict[int, _Batch] = {}


_known = _Known()


def brought_along(node: Any) -> tuple[deque[Any], End] | None:
    """Return the nodes to pickle before ``node``, and their end marker, or None.

    None means that they are few, or that they are being pickled already. A pickler never comes
    back to an object it has pickled. So a request for a node of a finished batch comes from another
    pickler, which has not seen the batch.
    """
    batches = _known.batches
    batch = batches.get(id(node))
    if batch is not None and batch.nodes() is not None:
        if not batch.done:
            return None
        batches.clear()
    before = _nodes_before(node, batches)
    if len(before) < FEW:
        return None
    nodes = deque([*before, node])
    batch = _Batch(nodes, batches)
    batches.update(dict.fromkeys(map(id, nodes), batch))
    return nodes, End(batch)


def _nodes_before(node: Any, batches: dict[int, _Batch]) -> list[Any]:
    """Return the nodes that ``node`` needs and that are in no batch, in topological order."""
    order: list[Any] = []
    seen: dict[int, bool] = {}  # False while a node is open, True once it is in the order
    stack = [node]
    while stack:
        result = stack[-1]
        if seen.get(id(result)) is not None:
            stack.pop()
            if not seen[id(result)]:
                seen[id(result)] = True
                order.append(result)
            continue
        seen[id(result)] = False
        for v in result.inputs:
            if v.owner is not None and id(v.owner) not in seen and id(v.owner) not in batches:
                stack.append(v.owner)
    return order[:-1]
