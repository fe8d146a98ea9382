"""Searching in sorted vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ops.core.elemwise import zero_gradient
from theano._src.ops.index.index_list import all_within
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import integer_dtypes, upcast
from theano._src.types.null import disconnected
from theano._src.types.tensor import TensorCall, TensorVariable, tensor_type

#: dtypes whose numbers a comparison in float64 may need
_WIDE = frozenset({"float64", "int64", "uint64"})


@documented_in("theano.tensor.extra_ops")
class SearchsortedOp(Op):
    """The positions at which to insert values into a sorted vector; see ``searchsorted``."""

    __call__: TensorCall

    __props__ = ("side",)
    shape_like = 1
    nondiff_inputs = slice(2, None)

    def __init__(self, side: str = "left") -> None:
        if side not in ("left", "right"):
            raise ValueError(f"SearchsortedOp takes side='left' or 'right', got {side!r}")
        self.side = side

    def make_node(self, x: TensorLike, v: TensorLike, sorter: TensorLike = None) -> Apply:
        x, v = as_tensor_variable(x), as_tensor_variable(v)
        if x.ndim != 1:
            raise ValueError(f"{self} takes a vector to search in, got {x} of type {x.type}")
        inputs = [x, v]
        if sorter is not None:
            sorter = as_tensor_variable(sorter)
            if sorter.ndim != 1 or sorter.dtype not in integer_dtypes:
                kind = ValueError if sorter.ndim != 1 else TypeError
                raise kind(
                    f"{self} takes an integer vector as sorter, got {sorter} of type {sorter.type}"
                )
            inputs.append(sorter)
        return Apply(self, inputs, [tensor_type("int64", v.broadcastable)()])

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        if len(inputs) < 3:
            return
        x, _, sorter = inputs
        if len(sorter) != len(x):
            raise ValueError(
                f"{self} takes a sorter of the length of the vector, {len(x)}, got {len(sorter)}"
            )
        if sorter.size and not (sorter.min() >= 0 and sorter.max() < len(x)):
            raise ValueError(f"{self} takes positions from 0 to {len(x) - 1} as sorter")

    def compute(self, xp: ArrayNamespace, x: Array, v: Array, sorter: Array | None = None) -> Any:
        dtype = upcast(x.dtype.name, v.dtype.name)
        if sorter is not None:
            x = xp.take(x, sorter)
        result = xp.searchsorted(xp.astype(x, dtype), xp.astype(v, dtype), side=self.side)
        return xp.astype(result, np.dtype("int64"))

    def lower_xla(
        self, xp: ArrayNamespace, sizes: Sequence[int], x: Array, v: Array, *sorter: Array
    ) -> Any:
        dtypes = {x.dtype.name, v.dtype.name}
        # NumPy compares short integers and float32 in float64, which TPUs lack
        if upcast(*dtypes) == "float64" and not dtypes & _WIDE:
            up = self.side == "left"
            x, v = _whole(xp, x, not up), _whole(xp, v, up)
        return self.compute(xp, x, v, *sorter)

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        x, _, *sorter = inputs
        return [all_within(xp, s, 0, x.shape[0]) for s in sorter]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [zero_gradient(x) for x in inputs[:2]] + [disconnected() for _ in inputs[2:]]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return [None]


def _whole(xp: ArrayNamespace, x: Array, up: bool) -> Any:
    """Integers that are ordered as ``x`` is among integers of at most 32 bits."""
    if x.dtype.kind == "f":
        limit = np.float32(2**33)
        x = xp.astype(x, np.dtype("float32"))
        x = xp.where(xp.isnan(x), limit, xp.ceil(x) if up else xp.floor(x))
        x = xp.maximum(-limit, xp.minimum(x, limit))
    return xp.astype(x, np.dtype("int64"))


@documented_in("theano.tensor.extra_ops")
def searchsorted(
    x: TensorLike, v: TensorLike, side: str = "left", sorter: TensorLike = None
) -> TensorVariable:
    """The positions at which to insert values so that a vector stays sorted, as int64.

    Parameters
    ----------
    x : vector
        In ascending order, unless ``sorter`` sorts it.
    v : tensor or array
        The values; the result has its shape.
    side : {'left', 'right'}
        Whether to insert before or after equal elements.
    sorter : integer vector, optional
        Positions that sort ``x``, as from ``argsort``.

    >>> import theano.tensor as T
    >>> T.extra_ops.searchsorted([1, 2, 2, 3], [2, 5]).eval().tolist()
    [1, 4]
    """
    return SearchsortedOp(side)(x, v, sorter)
