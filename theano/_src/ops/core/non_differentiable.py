"""Base class of ops without derivative."""

from __future__ import annotations

from typing import Any

from theano._src.graph.op import Op
from theano._src.types.null import disconnected


class NonDifferentiable(Op):
    """An op that uses its inputs only as shapes or indices; it has no gradient."""

    nondiff_inputs = slice(None)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [disconnected() for _ in inputs]
