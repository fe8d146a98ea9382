"""Ops through which no derivative goes."""

from __future__ import annotations

from typing import Any

from theano._src.graph.node import Apply
from theano._src.graph.op import Op
from theano._src.types.nothing import disconnected


class Unmoved(Op):
    """An op of which the inputs only give sizes and places, or are only asked for theirs."""

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [disconnected() for _ in inputs]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return [None]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[False] for _ in node.inputs]
