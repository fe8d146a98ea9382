"""Graphs as pickle and deepcopy take them: node after node, so that they recurse into one each.

Both follow references, and some hundred nodes in a row would exhaust their stack. So the first
variable of a graph that they come to brings along the nodes that it is computed from, each after
those that it needs: what a node refers to has been pickled when its turn comes.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from typing import Any

#: with fewer nodes before it, a variable brings nothing along
FEW = 10


class _Batch:
    """Nodes that were brought along, as long as a pickler holds them."""

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
    """Stands behind a batch, and so learns when it has been pickled; False when it is loaded."""

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
    """Nodes to be pickled before one, and their end; None if there are few, or they are under way.

    A pickler remembers what it has pickled, and asks no more. If one asks for a node of a batch
    that is done, it is another pickler, which has seen nothing of it.
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
    """The nodes that one needs and that are not known, each after those that it needs itself."""
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
