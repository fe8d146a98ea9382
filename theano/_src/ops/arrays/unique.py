"""Unique: the distinct elements of an array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.arrays.cumulative import _in_range, _int, _part
from theano._src.ops.core.elemwise import zero_gradient
from theano._src.ops.shape.dims import patternbroadcast
from theano._src.ops.shape.shape import flatten, shape
from theano._src.ops.shape.static_values import product
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.null import DisconnectedType
from theano._src.types.tensor import tensor_type


@documented_in("theano.tensor.extra_ops")
class Unique(Op):
    """The distinct elements of a tensor, or of its slices along an axis; see ``unique``."""

    __props__ = ("return_index", "return_inverse", "return_counts", "axis")
    # the length of the result depends on values
    runs_on = "host"

    def __init__(
        self,
        return_index: bool = False,
        return_inverse: bool = False,
        return_counts: bool = False,
        axis: int | None = None,
    ) -> None:
        self.return_index = bool(return_index)
        self.return_inverse = bool(return_inverse)
        self.return_counts = bool(return_counts)
        self.axis = None if axis is None else _int("Unique", "axis", axis)

    def make_node(self, x: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        if self.axis is None:
            pattern: tuple[bool, ...] = (False,)
        else:
            at = _in_range("Unique", self.axis, x, RuntimeError)
            pattern = tuple(b and i != at for i, b in enumerate(x.broadcastable))
        extra = self.return_index + self.return_inverse + self.return_counts
        outs = [tensor_type(x.dtype, pattern)()]
        return Apply(self, [x], outs + [tensor_type("int64", (False,))() for _ in range(extra)])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        result = xp.unique(
            x,
            return_index=self.return_index,
            return_inverse=self.return_inverse,
            return_counts=self.return_counts,
            axis=self.axis,
        )
        if not isinstance(result, tuple):
            return result
        return (result[0], *[np.asarray(f, "int64").reshape(-1) for f in result[1:]])

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...] | None]:
        (shape,) = shapes
        out: list[tuple[Any, ...] | None] = [None] * len(node.outputs)
        if self.return_inverse:
            n = product(shape) if self.axis is None else shape[self.axis]
            out[1 + self.return_index] = (n,)
        return out

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), g = inputs, output_grads[0]
        if isinstance(g.type, DisconnectedType):
            return [zero_gradient(x)]
        # each of several equal elements gets the whole gradient, as for Max
        if self.return_inverse:
            where = outputs[1 + self.return_index]
        else:
            where = Unique(return_inverse=True, axis=self.axis)(x)[1]
        if self.axis is None:
            return [g[where].reshape(shape(x), ndim=x.ndim)]
        return [patternbroadcast(g[_part(self.axis % x.ndim, where)], x.broadcastable)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        extra = self.return_index + self.return_inverse + self.return_counts
        if dx is None:
            return [None] * (1 + extra)
        first = Unique(return_index=True, axis=self.axis)(x)[1]
        if self.axis is None:
            return [flatten(dx)[first]] + [None] * extra
        return [dx[_part(self.axis % x.ndim, first)]] + [None] * extra


@documented_in("theano.tensor.extra_ops")
def unique(
    x: TensorLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Any:
    """The distinct elements of a tensor in ascending order; NaN counts as one element.

    Parameters
    ----------
    x : tensor or array
    return_index : bool
        Also return the first position of each distinct element.
    return_inverse : bool
        Also return the index of the distinct element for each element of the flattened tensor, or
        for each slice along ``axis``.
    return_counts : bool
        Also return how often each distinct element occurs.
    axis : int, optional
        Compare whole slices along this dimension; by default single elements.

    Returns
    -------
    One variable, or a list if more than one was requested.

    >>> import theano.tensor as T
    >>> [v.eval().tolist() for v in T.extra_ops.unique([3, 1, 3], return_counts=True)]
    [[1, 3], [1, 2]]
    """
    return Unique(return_index, return_inverse, return_counts, axis)(x)
