"""DimShuffle: reorder, drop and add dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.tensor import TensorCall, tensor_type


@documented_in("theano.tensor.elemwise")
class DimShuffle(Op):
    """Reorder, drop and add dimensions: ``new_order`` lists old ones by number, new ones as 'x'.

    A dropped dimension must be broadcastable; a new one is broadcastable.
    """

    __call__: TensorCall

    __props__ = ("input_broadcastable", "new_order", "inplace")
    linear_in = (0,)

    def __init__(
        self,
        input_broadcastable: Sequence[bool],
        new_order: Sequence[int | str],
        inplace: bool = True,
    ) -> None:
        self.input_broadcastable = tuple(bool(b) for b in input_broadcastable)
        self.new_order: tuple[Any, ...] = tuple(o if o == "x" else int(o) for o in new_order)
        self.inplace = inplace
        ndim = len(self.input_broadcastable)
        kept = [o for o in self.new_order if o != "x"]
        for o in kept:
            if not 0 <= o < ndim:
                raise ValueError(
                    f"DimShuffle takes dimensions 0 to {ndim - 1} of its input, got {o} in "
                    f"{self.new_order}"
                )
        if len(set(kept)) != len(kept):
            raise ValueError(
                f"the same input dimension may not appear twice: DimShuffle takes each dimension "
                f"once, got {self.new_order}"
            )
        self.drop = [i for i in range(ndim) if i not in kept]
        for i in self.drop:
            if not self.input_broadcastable[i]:
                raise ValueError(
                    f"You cannot drop a non-broadcastable dimension: {i} of a tensor with "
                    f"broadcastable={self.input_broadcastable}, by {self.new_order}; its "
                    "length may be other than 1: take one entry of it by an index, or a sum"
                )
        self.shuffle = kept
        self.augment = [i for i, o in enumerate(self.new_order) if o == "x"]
        # a view even if not inplace: ops that overwrite the output must know
        self.view_map = {0: [0]}

    def make_node(self, x: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        if x.broadcastable != self.input_broadcastable:
            if x.ndim != len(self.input_broadcastable):
                raise TypeError(
                    f"{self} takes {len(self.input_broadcastable)} dimensions, got {x} of {x.type}"
                )
            for have, want in zip(x.broadcastable, self.input_broadcastable, strict=True):
                if want and not have:
                    raise TypeError(
                        f"{self} takes broadcastable={self.input_broadcastable}, got {x} with "
                        f"{x.broadcastable}"
                    )
        pattern = tuple(o == "x" or x.broadcastable[o] for o in self.new_order)
        return Apply(self, [x], [tensor_type(x.dtype, pattern)()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        if self.drop:
            x = xp.squeeze(x, tuple(self.drop))
            left = [i for i in range(len(self.input_broadcastable)) if i not in self.drop]
            order = [left.index(o) for o in self.shuffle]
        else:
            order = self.shuffle
        if order != list(range(len(order))):
            x = xp.transpose(x, order)
        return xp.expand_dims(x, tuple(self.augment)) if self.augment else x

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        (shape,) = shapes
        return [tuple(_ONE if o == "x" else shape[o] for o in self.new_order)]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        (x,) = inputs
        order = [o if o == "x" else o + 1 for o in self.new_order]
        return [DimShuffle(x.broadcastable, (0, *order), self.inplace)(x)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (g,) = inputs, output_grads
        order: list[Any] = ["x"] * x.ndim
        for i, o in enumerate(self.new_order):
            if o != "x":
                order[o] = i
        # these have length 1, though the type of g may not show it
        missing = [i for i in self.augment if not g.broadcastable[i]]
        g = g.sum(axis=missing, keepdims=True) if missing else g
        return [DimShuffle(g.broadcastable, order)(g)]

    def __str__(self) -> str:
        text = ",".join(map(str, self.new_order))
        return f"InplaceDimShuffle{{{text}}}" if self.inplace else f"DimShuffle{{{text}}}"


_LEFT: dict[tuple[tuple[bool, ...], int], DimShuffle] = {}
_ONE = constant(np.asarray(1, "int64"))


def pad_left(x: Variable, ndim: int) -> Any:
    """Return ``x`` with broadcastable dimensions prepended up to ``ndim`` in total."""
    have = x.type.ndim
    if have == ndim:
        return x
    key = (x.type.broadcastable, ndim)
    op = _LEFT.get(key)
    if op is None:
        op = _LEFT[key] = DimShuffle(key[0], ("x",) * (ndim - have) + tuple(range(have)))
    return op(x)
