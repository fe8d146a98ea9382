"""Lengths that are known to be equal, so that elementwise nodes need not check them again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.types.tensor import TensorType

# a length: a number if it is known, else one dimension of one variable
Length = Any


class Lengths:
    """Equivalence classes of lengths, as a plan is written; a class is equal in every call."""

    def __init__(self) -> None:
        self._of: dict[Variable, tuple[Length, ...]] = {}
        self._same: dict[Length, Length] = {}

    def of(self, v: Variable) -> tuple[Length, ...]:
        lengths = self._of.get(v)
        if lengths is None:
            if isinstance(v, Constant):
                lengths = tuple(v.data.shape)
            else:
                pattern = v.type.broadcastable
                lengths = tuple(1 if b else (v, axis) for axis, b in enumerate(pattern))
            self._of[v] = lengths
        return lengths

    def _root(self, length: Length) -> Length:
        root = length
        while root in self._same:
            root = self._same[root]
        while length != root:  # path compression
            self._same[length], length = root, self._same[length]
        return root

    def _unite(self, a: Length, b: Length) -> None:
        a, b = self._root(a), self._root(b)
        if isinstance(a, int):
            a, b = b, a
        if a != b and not isinstance(a, int):
            self._same[a] = b

    def differing(self, node: Apply) -> list[tuple[int, int, int]]:
        """Pairs of inputs of an elementwise node, and the dimension in which they may differ."""
        rows = []
        for axis, members in enumerate(_stretched(node.inputs, node.outputs[0].type.ndim)):
            seen: dict[Length, int] = {}
            for i in members:
                length = self._root(self.of(node.inputs[i])[axis])
                if length not in seen and seen:
                    rows.append((members[0], i, axis))
                seen[length] = i
        return rows

    def passed(self, node: Apply) -> None:
        """Record the equalities that hold after a node has run, and the lengths of its outputs."""
        out = node.outputs[0]
        if type(node.op) is DimShuffle:
            lengths = self.of(node.inputs[0])
            self._of[out] = tuple(1 if o == "x" else lengths[o] for o in node.op.new_order)
        elif type(node.op) is Elemwise:  # another class may check less
            result: list[Length] = []
            for axis, members in enumerate(_stretched(node.inputs, out.type.ndim)):
                each = [self.of(node.inputs[i])[axis] for i in members]
                for other in each[1:]:
                    self._unite(each[0], other)
                result.append(self._root(each[0]) if each else 1)
            for v in node.outputs:
                self._of[v] = tuple(result)


def _stretched(inputs: Sequence[Variable], ndim: int) -> list[list[int]]:
    """For each dimension, the inputs that do not broadcast along it and must agree."""
    return [
        [i for i, v in enumerate(inputs) if not v.type.broadcastable[axis]] for axis in range(ndim)
    ]


def agreement(node: Apply, pairs: Sequence[tuple[int, int, int]], names: Sequence[str]) -> str:
    """Python text that is true if the inputs of a node have matching lengths."""
    texts: dict[str, None] = {}
    for a, b, axis in pairs:
        kinds = [node.inputs[i].type for i in (a, b)]
        assert all(isinstance(kind, TensorType) for kind in kinds)
        if kinds[0].broadcastable == kinds[1].broadcastable:
            texts[f"{names[a]}.shape == {names[b]}.shape"] = None
        else:
            texts[f"{names[a]}.shape[{axis}] == {names[b]}.shape[{axis}]"] = None
    return " and ".join(texts)
