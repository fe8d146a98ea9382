"""Lengths, and arithmetic on them, as Python numbers in the plan of the numpy engine.

A NumPy operation on one number takes several times as long.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from theano._src.engines.numpy.lines import text_of
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.ops.shape.join import MakeVector
from theano._src.ops.shape.shape import Reshape, Shape_i

Users = Mapping[Variable, Sequence[tuple[Apply, int]]]


class PlanSizes:
    """Which nodes of a graph the plan writes as text on Python numbers.

    Attributes
    ----------
    nodes : set
        Nodes that return a length, or compute one from others.
    arrays : set
        Their outputs that something also reads as an array.
    vectors : set
        Nodes that only join such numbers for a reshape: the plan leaves them out.
    """

    def __init__(self, order: Sequence[Apply], users: Users, outputs: Collection[Variable]) -> None:
        self.nodes: set[Apply] = set()
        self._whole: set[Variable] = set()
        for node in order:
            if _is_length(node) or self._is_arithmetic(node):
                self.nodes.add(node)
                self._whole.update(node.outputs)
        self.vectors = {n for n in order if self._only_for_reshapes(n, users, outputs)}
        written = self.nodes | self.vectors
        self.arrays = {
            v
            for v in self._whole
            if v in outputs or not all(user in written for user, _ in users.get(v, ()))
        }

    def _knows(self, v: Variable) -> bool:
        return v in self._whole or (isinstance(v, Constant) and _is_whole(v))

    def _is_arithmetic(self, node: Apply) -> bool:
        return (
            all(map(self._knows, node.inputs))
            and any(v in self._whole for v in node.inputs)
            and text_of(node, *["x"] * len(node.inputs)) is not None
            and node.outputs[0].type.dtype == "int64"
        )

    def _only_for_reshapes(self, node: Apply, users: Users, outputs: Collection[Variable]) -> bool:
        if type(node.op) is not MakeVector or not all(map(self._knows, node.inputs)):
            return False
        (out,) = node.outputs
        return out not in outputs and all(
            type(user.op) is Reshape and i == 1 and user.op.ndim == len(node.inputs)
            for user, i in users.get(out, ())
        )

    def lengths_of(self, node: Apply) -> list[Variable] | None:
        """The lengths passed to a reshape, each known as a number; else None."""
        if type(node.op) is not Reshape:
            return None
        shape = node.inputs[1]
        return shape.owner.inputs if shape.owner in self.vectors else None


def known_lengths(node: Apply) -> list[str] | None:
    """The lengths of a reshape to a constant shape, as texts; else None."""
    if type(node.op) is not Reshape or not isinstance(node.inputs[1], Constant):
        return None
    result = node.inputs[1].data.tolist()
    return [repr(n) for n in result] if len(result) == node.op.ndim else None


def tuple_text(texts: Sequence[str]) -> str:
    return f"({''.join(f'{text}, ' for text in texts)})"


def _is_length(node: Apply) -> bool:
    return type(node.op) is Shape_i


def _is_whole(v: Variable) -> bool:
    return getattr(v.type, "ndim", None) == 0 and v.type.numpy_dtype.kind in "iub"
