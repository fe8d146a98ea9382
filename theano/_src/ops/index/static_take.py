"""StaticTake: entries at positions that are part of the op, so no index needs checking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ops.index.index import inc_subtensor
from theano._src.ops.shape.static_values import VECTOR_LENGTHS, as_length
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import TensorCall, tensor_type

# up to this many runs, concatenated slices are faster than a gather in XLA
_FEW_RUNS = 4


class StaticTake(Op):
    """``x[..., at]`` for an ``x`` whose last dimension has ``length`` entries.

    ``at`` is an integer, which drops the dimension, or a tuple; both count from the front.
    """

    __call__: TensorCall

    __props__ = ("at", "length")
    linear_in = (0,)

    def __init__(self, at: int | Sequence[int], length: int) -> None:
        self.at = int(at) if isinstance(at, int | np.integer) else tuple(int(k) for k in at)
        self.length = int(length)
        many = (self.at,) if isinstance(self.at, int) else self.at
        if not all(0 <= k < self.length for k in many):
            raise IndexError(f"StaticTake takes places from 0 to {self.length - 1}, got {at}")
        self.runs = runs_of(many)
        self._index = np.asarray(self.at, "int64")
        if isinstance(self.at, int) or len(self.runs) == 1:
            self.view_map = {0: [0]}

    def make_node(self, x: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        if x.ndim == 0:
            raise TypeError(f"{self} takes at least one dimension, got {x}, a scalar")
        kept = () if isinstance(self.at, int) else (len(self.at) == 1,)
        return Apply(self, [x], [tensor_type(x.dtype, (*x.broadcastable[:-1], *kept))()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        if x.shape[-1] != self.length:
            raise ValueError(
                f"{self} takes {self.length} entries in the last dimension, got shape {x.shape}"
            )
        if isinstance(self.at, int):
            return x[..., self.at]
        if len(self.runs) == 1:
            ((start, stop),) = self.runs
            return x[..., start:stop]
        if xp.name == "numpy":
            return x.take(self._index, axis=-1)
        if 1 < len(self.runs) <= _FEW_RUNS:
            return xp.concatenate([x[..., a:b] for a, b in self.runs], axis=-1)
        return xp.take(x, self._index, axis=-1, mode="clip")

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        kept = () if isinstance(self.at, int) else (as_length(len(self.at)),)
        return [(*shapes[0][:-1], *kept)]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        return [self(*inputs)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (g,) = inputs, output_grads
        at = self.at if isinstance(self.at, int) else self._index
        index = (slice(None),) * (x.ndim - 1) + (at,)
        return [inc_subtensor(x.zeros_like(dtype=g.dtype)[index], g)]

    def __str__(self) -> str:
        if isinstance(self.at, int):
            return f"StaticTake{{{self.at} of {self.length}}}"
        return f"StaticTake{{{','.join(f'{a}:{b}' for a, b in self.runs)} of {self.length}}}"


def runs_of(at: Sequence[int]) -> list[tuple[int, int]]:
    """Group consecutive positions into runs, each a pair (start, stop)."""
    runs: list[tuple[int, int]] = []
    for k in at:
        if runs and runs[-1][1] == k:
            runs[-1] = (runs[-1][0], k + 1)
        else:
            runs.append((k, k + 1))
    return runs


VECTOR_LENGTHS[StaticTake] = lambda node: (
    len(node.op.at) if node.inputs[0].type.ndim == 1 and node.op.at.__class__ is tuple else None
)
