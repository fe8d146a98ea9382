"""The order that passes must keep when they let ops overwrite their inputs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache
from typing import Any

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op_facts import arguments_of
from theano._src.ops.core.elemwise import Elemwise

#: arguments of ops that say where a result is written, and not what it is
_WHERE = ("inplace", "destructive", "inplace_pattern")


def misuse_of_memory(
    order: Sequence[Apply], inputs: Iterable[Variable], outputs: Iterable[Variable]
) -> str | None:
    """Return what goes wrong if nodes run in an order, or None.

    Memory is a number for each buffer, and a count of how often it was overwritten. A variable is
    a buffer with the count at which it was written. It may be read while the count is the same.
    Inputs and constants are never overwritten.
    """
    buffers: dict[Variable, tuple[int, int]] = {}
    written: list[int] = []
    whole: set[int] = set()

    def new(v: Variable, *, kept: bool = False) -> None:
        buffers[v] = len(written), 0
        if kept:
            whole.add(len(written))
        written.append(0)

    for v in inputs:
        new(v, kept=True)
    for node in order:
        for v in node.inputs:
            if v not in buffers:
                if not isinstance(v, Constant):
                    return f"{node} reads {v} before it is computed"
                new(v, kept=True)
            if written[buffers[v][0]] != buffers[v][1]:
                return f"{node} reads {v} after it was overwritten"
        destroyed = getattr(node.op, "destroy_map", None) or {}
        viewed = getattr(node.op, "view_map", None) or {}
        for i in {i for places in destroyed.values() for i in places}:
            buffer = buffers[node.inputs[i]][0]
            if buffer in whole:
                return f"{node} overwrites {node.inputs[i]}, an input or a constant"
            if sum(buffers[v][0] == buffer for v in node.inputs) > 1:
                return f"{node} overwrites memory that it also reads as another input"
            written[buffer] += 1
        for k, out in enumerate(node.outputs):
            shared = destroyed.get(k) or viewed.get(k)
            if shared:
                buffer = buffers[node.inputs[shared[0]]][0]
                buffers[out] = buffer, written[buffer]
            else:
                new(out)
    for v in outputs:
        if v in buffers and written[buffers[v][0]] != buffers[v][1]:
            return f"the output {v} was overwritten"
    return None


class Meanings:
    """Numbers of expressions: equal for variables that are computed alike.

    Whether an op overwrites its input is not part of what it computes.
    """

    def __init__(self, inputs: Sequence[Variable]) -> None:
        self._numbers: dict[Any, int] = {}
        self._inputs = {v: self._number(("input", i)) for i, v in enumerate(inputs)}

    def _number(self, key: Hashable) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def of(
        self, order: Sequence[Apply], inputs: Sequence[Variable], outputs: Sequence[Variable]
    ) -> list[int]:
        """Return the numbers of the outputs of a graph with the same inputs."""
        known = dict(zip(inputs, self._inputs.values(), strict=True))

        def number(v: Variable) -> int:
            if v not in known and isinstance(v, Constant):
                known[v] = self._number(("constant", v.signature()))
            return known[v]

        for node in order:
            given = tuple(map(number, node.inputs))
            for k, v in enumerate(node.outputs):
                known[v] = self._number((_computed(node.op), given, k))
        return list(map(number, outputs))


def _computed(op: Any) -> Hashable:
    if isinstance(op, Elemwise):
        return Elemwise, op.scalar_op
    arguments = {n: getattr(op, n, None) for n in _arguments(type(op)) if n not in _WHERE}
    return type(op), tuple((n, repr(v)) for n, v in arguments.items())


_arguments: Callable[[Any], tuple[str, ...]] = cache(arguments_of)
