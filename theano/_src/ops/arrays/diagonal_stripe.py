"""Read and write a diagonal stripe across two dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.ground.documented import documented_in
from theano._src.ops.elementwise.compare import eq, or_, switch
from theano._src.ops.index.index_grad import is_zero_tangent
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import integer_dtypes
from theano._src.types.null import disconnected
from theano._src.types.tensor import TensorVariable


@documented_in("theano.tensor.nnet.conv3d2d")
def get_diagonal_subtensor_view(x: np.ndarray[Any, Any], i0: int, i1: int) -> np.ndarray[Any, Any]:
    """Return a view of the stripe of an array that DiagonalSubtensor reads.

    Parameters
    ----------
    x : ndarray
    i0, i1 : int
        The dimension along the stripe and the dimension across it.

    >>> import numpy as np
    >>> from theano.tensor.nnet.conv3d2d import get_diagonal_subtensor_view
    >>> get_diagonal_subtensor_view(np.arange(6).reshape(3, 2), 0, 1).tolist()
    [[2, 1], [4, 3]]
    """
    i0, i1 = int(i0), int(i1)
    if x.shape[i0] < x.shape[i1]:
        raise NotImplementedError(
            f"a stripe goes along a dimension as long as the one it crosses, got {x.shape[i0]} in "
            f"dimension {i0} and {x.shape[i1]} in dimension {i1}"
        )
    part = x[(slice(None),) * (i0 % x.ndim) + (slice(x.shape[i1] - 1, None),)]
    strides = list(part.strides)
    if x.shape[i1] != 1:
        strides[i1] -= strides[i0]
    # each column begins one row above the previous one
    return np.lib.stride_tricks.as_strided(part, part.shape, strides)


def _axes(op: Op, i0: TensorLike, i1: TensorLike) -> list[TensorVariable]:
    axes = [as_tensor_variable(i) for i in (i0, i1)]
    for i in axes:
        if i.dtype not in integer_dtypes or i.ndim:
            raise TypeError(f"{op} takes an integer as dimension, got {i} of {i.type}")
    return axes


def _is_axis(i: Variable, k: int, ndim: int) -> Any:
    return or_(eq(i, k), eq(i, k - ndim))


class _Stripe(Op):
    """Base class of reading and writing; the dimensions are values, so it runs on the host."""

    __props__ = ("inplace",)
    runs_on = "host"
    inplace: bool

    def __str__(self) -> str:
        return type(self).__name__ + ("{inplace}" if self.inplace else "")


@documented_in("theano.tensor.nnet.conv3d2d")
class DiagonalSubtensor(_Stripe):
    """The elements of x on a diagonal stripe: ``x[i + n - 1 - j, j]`` for dimensions i0 and i1.

    The result has the shape of x, but i0 is shorter by n - 1, where n is the length of i1.
    ``inplace`` returns a view.

    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.conv3d2d import diagonal_subtensor
    >>> diagonal_subtensor(T.constant([[0, 1], [2, 3], [4, 5]]), 0, 1).eval().tolist()
    [[2, 1], [4, 3]]
    """

    linear_in = (0,)
    nondiff_inputs = (1, 2)

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = bool(inplace)
        self.view_map = {0: [0]} if inplace else {}

    def make_node(self, x: TensorLike, i0: TensorLike, i1: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        return Apply(self, [x, *_axes(self, i0, i1)], [x.type()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        result = get_diagonal_subtensor_view(*inputs)
        output_storage[0][0] = result if self.inplace else result.copy()

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        _, i0, i1 = node.inputs
        lengths, _, _ = shapes
        n = len(lengths)
        across = lengths[int(i1.data)] if isinstance(i1, Constant) else lengths[0]
        if not isinstance(i1, Constant):
            for k in range(1, n):
                across = switch(_is_axis(i1, k, n), lengths[k], across)
        if isinstance(i0, Constant):
            at = int(i0.data) % n
            return [tuple(m - across + 1 if k == at else m for k, m in enumerate(lengths))]
        return [tuple(switch(_is_axis(i0, k, n), m - across + 1, m) for k, m in enumerate(lengths))]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, i0, i1), (g,) = inputs, output_grads
        gx = inc_diagonal_subtensor(x.zeros_like(dtype=g.dtype), i0, i1, g)
        return [gx, disconnected(), disconnected()]


@documented_in("theano.tensor.nnet.conv3d2d")
class IncDiagonalSubtensor(_Stripe):
    """x with ``amt`` added to the elements that DiagonalSubtensor reads; used in its gradient.

    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.conv3d2d import inc_diagonal_subtensor
    >>> inc_diagonal_subtensor(T.zeros((3, 2)), 0, 1, T.ones((2, 2))).eval().tolist()
    [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]
    """

    shape_like = 0
    nondiff_inputs = (1, 2)

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = bool(inplace)
        self.destroy_map = {0: [0]} if inplace else {}

    def make_node(self, x: TensorLike, i0: TensorLike, i1: TensorLike, amt: TensorLike) -> Apply:
        x, amt = as_tensor_variable(x), as_tensor_variable(amt)
        return Apply(self, [x, *_axes(self, i0, i1), amt], [x.type()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        x, i0, i1, amt = inputs
        x = x if self.inplace else x.copy()
        part = get_diagonal_subtensor_view(x, i0, i1)
        part += amt
        output_storage[0][0] = x

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (_, i0, i1, _), (g,) = inputs, output_grads
        return [g, disconnected(), disconnected(), diagonal_subtensor(g, i0, i1)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x, i0, i1, amt), (dx, _, _, da) = inputs, eval_points
        if is_zero_tangent(dx) and is_zero_tangent(da):
            return [None]
        dx = x.zeros_like() if is_zero_tangent(dx) else dx
        return [self(dx, i0, i1, amt.zeros_like() if is_zero_tangent(da) else da)]


diagonal_subtensor = DiagonalSubtensor(False)
inc_diagonal_subtensor = IncDiagonalSubtensor(False)
