"""Cumulative sums and products, and differences."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.elementwise.arithmetic import maximum, sub
from theano._src.ops.reduce.reduce_grad import along_product, through_product
from theano._src.ops.shape.alloc import alloc
from theano._src.ops.shape.dims import dimshuffle, patternbroadcast
from theano._src.ops.shape.join import join
from theano._src.ops.shape.shape import flatten, shape, shape_i_op
from theano._src.ops.shape.static_values import as_length, product
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import TensorCall, TensorVariable, tensor_type


def _int(who: str, what: str, value: int) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{who} takes an int as {what}, got {value!r:.80}") from None


def _in_range(who: str, axis: int, x: TensorVariable, error: type[Exception] = ValueError) -> int:
    if not -x.ndim <= axis < x.ndim:
        have = f"from {-x.ndim} to {x.ndim - 1}" if x.ndim else "of none (it is 0-d)"
        raise error(f"{who} takes an axis {have} for {x} of type {x.type}, got axis {axis}")
    return axis % x.ndim


@documented_in("theano.tensor.extra_ops")
class CumOp(Op):
    """Cumulative sums (``mode='add'``) or products (``'mul'``).

    Integers keep their dtype and wrap around; bools become int64.
    """

    __call__: TensorCall

    __props__ = ("axis", "mode")

    def __init__(self, axis: int | None = None, mode: str = "add") -> None:
        if mode not in ("add", "mul"):
            raise ValueError(f"CumOp takes mode='add' or 'mul', got {mode!r}")
        self.axis = None if axis is None else _int("CumOp", "axis", axis)
        self.mode = mode

    def make_node(self, x: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        if self.axis is None:
            pattern: tuple[bool, ...] = (False,)
        else:
            _in_range(str(self), self.axis, x)
            pattern = x.broadcastable
        dtype = "int64" if x.dtype == "bool" else x.dtype
        return Apply(self, [x], [tensor_type(dtype, pattern)()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        x = xp.reshape(x, (-1,)) if self.axis is None else x
        dtype = np.dtype("int64") if x.dtype == bool else x.dtype
        run = xp.cumsum if self.mode == "add" else xp.cumprod
        return run(x, axis=self.axis or 0, dtype=dtype)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        (shape,) = shapes
        return [shape if self.axis is not None else (product(shape),)]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        (x,) = inputs
        if self.axis is not None:
            return [CumOp(self.axis % (x.ndim - 1) + 1, self.mode)(x)]
        flat = flatten(x, 2) if x.ndim > 1 else dimshuffle(x, 0, "x")
        return [CumOp(1, self.mode)(flat)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (g,) = inputs, output_grads
        axis = self.axis or 0
        if self.mode == "add":
            result = _summed_back(g, axis)
        else:
            result = through_product(
                flatten(x) if self.axis is None else x,
                g,
                CumOp(axis, "mul"),
                CumOp(axis, "add"),
                lambda h: _summed_back(h, axis),
            )
        return [result.reshape(shape(x), ndim=x.ndim) if self.axis is None else result]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        if dx is None:
            return [None]
        if self.mode == "add":
            return [self(dx)]
        if self.axis is None:
            x, dx = flatten(x), flatten(dx)
        axis = self.axis or 0
        return [along_product(x, dx, CumOp(axis, "mul"), CumOp(axis, "add"))]

    @property
    def name(self) -> str:
        """The printed form, such as ``CumOp{None, add}``."""
        return f"CumOp{{{self.axis}, {self.mode}}}"


def _summed_back(g: TensorVariable, axis: int) -> Any:
    """Cumulative sums from the end."""
    back = _part(axis % g.ndim, slice(None, None, -1))
    return CumOp(axis, "add")(g[back])[back]


def _part(axis: int, index: slice) -> tuple[slice, ...]:
    return (*[slice(None)] * axis, index)


@documented_in("theano.tensor.extra_ops")
class CumsumOp:
    """``CumOp(axis, "add")``, under its older name."""

    def __new__(cls, axis: int | None = None) -> CumOp:  # type: ignore[misc]
        return CumOp(axis, "add")


@documented_in("theano.tensor.extra_ops")
class CumprodOp:
    """``CumOp(axis, "mul")``, under its older name."""

    def __new__(cls, axis: int | None = None) -> CumOp:  # type: ignore[misc]
        return CumOp(axis, "mul")


@documented_in("theano.tensor.extra_ops")
def cumsum(x: TensorLike, axis: int | None = None) -> TensorVariable:
    """The cumulative sum along an axis.

    Parameters
    ----------
    x : tensor or array
    axis : int, optional
        The dimension to sum along; by default the tensor is flattened.

    >>> import theano.tensor as T
    >>> T.cumsum([[1, 2], [3, 4]]).eval().tolist()
    [1, 3, 6, 10]
    >>> T.cumsum([[1, 2], [3, 4]], axis=0).eval().tolist()
    [[1, 2], [4, 6]]
    """
    return CumOp(axis, "add")(x)


@documented_in("theano.tensor.extra_ops")
def cumprod(x: TensorLike, axis: int | None = None) -> TensorVariable:
    """The cumulative product along an axis.

    Parameters
    ----------
    x : tensor or array
    axis : int, optional
        The dimension to multiply along; by default the tensor is flattened.

    >>> import theano.tensor as T
    >>> T.cumprod([[1, 2], [3, 4]]).eval().tolist()
    [1, 2, 6, 24]
    """
    return CumOp(axis, "mul")(x)


@documented_in("theano.tensor.extra_ops")
class DiffOp(Op):
    """``x[i + 1] - x[i]`` along an axis, applied ``n`` times; for bools, whether they differ."""

    __call__: TensorCall

    __props__ = ("n", "axis")
    linear_in = (0,)

    def __init__(self, n: int = 1, axis: int = -1) -> None:
        self.n = _int("DiffOp", "n", n)
        self.axis = _int("DiffOp", "axis", axis)
        if self.n < 0:
            raise ValueError(f"DiffOp takes an n of 0 or more, got {n}")

    def make_node(self, x: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        at = _in_range(str(self), self.axis, x)
        # a dimension of length 1 becomes one of length 0
        pattern = tuple(b and (i != at or self.n == 0) for i, b in enumerate(x.broadcastable))
        return Apply(self, [x], [tensor_type(x.dtype, pattern)()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        if self.n == 0:
            return xp.array(x, copy=True)
        # once no element is left, further differences change nothing
        return xp.diff(x, n=min(self.n, max(x.shape[self.axis], 1)), axis=self.axis)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        shape = list(shapes[0])
        shape[self.axis] = maximum(sub(shape[self.axis], as_length(self.n)), as_length(0))
        return [tuple(shape)]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        (x,) = inputs
        return [DiffOp(self.n, self.axis % (x.ndim - 1) + 1)(x)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (gx,) = inputs, output_grads
        axis = self.axis % x.ndim
        lengths = [as_length(1) if i == axis else shape_i_op(i)(gx) for i in range(x.ndim)]
        end = alloc(np.zeros((), gx.dtype), *lengths)
        for _ in range(self.n):
            gx = join(axis, end, gx) - join(axis, gx, end)
        # with fewer elements than differences, gx is longer than x
        gx = gx[_part(axis, slice(None, shape_i_op(axis)(x)))]
        return [patternbroadcast(gx, x.broadcastable)]


@documented_in("theano.tensor.extra_ops")
def diff(x: TensorLike, n: int = 1, axis: int = -1) -> TensorVariable:
    """The differences of consecutive elements along an axis, applied ``n`` times.

    Parameters
    ----------
    x : tensor or array
    n : int
        How often differences are taken; the result is shorter by ``n``.
    axis : int
        The dimension; the last by default.

    >>> import theano.tensor as T
    >>> T.extra_ops.diff([1, 4, 9, 16]).eval().tolist()
    [3, 5, 7]
    >>> T.extra_ops.diff([1, 4, 9, 16], n=2).eval().tolist()
    [2, 2]
    """
    return DiffOp(n, axis)(x)
