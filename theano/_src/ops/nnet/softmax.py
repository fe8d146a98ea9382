"""Softmax, its logarithm, and log(sum(exp(x))), shifted to avoid overflow."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ground.length_numbers import are_numbers
from theano._src.ops.core.cast import cast
from theano._src.ops.core.dimshuffle import pad_left
from theano._src.ops.elementwise.arithmetic import fill, true_div
from theano._src.ops.elementwise.explog import exp
from theano._src.ops.reduce.careduce import read_axis, settle_axis, sum as sum_
from theano._src.ops.reduce.reduce_grad import spread
from theano._src.types.aliases import Axis, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import float_dtypes
from theano._src.types.tensor import TensorCall, TensorVariable, tensor_type


class AlongAxis(Op):
    """The base class of softmax, log-softmax and their gradients: it handles ``axis``.

    ``axis=None`` is the op that Theano documents: it takes the rows of a matrix, or a vector as
    one row.
    """

    __call__: TensorCall

    __props__ = ("axis",)
    shape_like = 0

    def __init__(self, axis: Axis = None) -> None:
        self.axis = read_axis(axis, type(self).__name__)

    def input_of(self, given: TensorLike) -> TensorVariable:
        """Convert to a tensor; raise ValueError if the op does not accept it."""
        x = as_tensor_variable(given)
        if self.axis is not None:
            settle_axis(self.axis, x, str(self))
        if x.dtype not in float_dtypes or (self.axis is None and x.ndim not in (1, 2)):
            raise ValueError(
                f"{self} takes a 1-d or 2-d tensor of floats, got {x} of {x.type}; "
                "cast integers, and name the axis of what has more dimensions"
            )
        out: TensorVariable = pad_left(x, 2) if self.axis is None else x
        return out

    def axes(self, ndim: int) -> tuple[int, ...]:
        """Return the dimensions to normalize or reduce over, counted from the left."""
        return (ndim - 1,) if self.axis is None else tuple({a % ndim: None for a in self.axis})

    def make_node(self, x: TensorLike) -> Apply:
        x = self.input_of(x)
        return Apply(self, [x], [x.type()])

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        if not all(is_batched):
            return None
        axes = [a + 1 for a in self.axes(node.inputs[0].type.ndim)]
        return [type(self)(axes)(*inputs)]

    def __str__(self) -> str:
        shown = "" if self.axis is None else f"{{axis={list(self.axis)}}}"
        return type(self).__name__ + shown


def along(op: type[AlongAxis], x: Variable, axes: Sequence[int]) -> Any:
    """Apply ``op`` to ``x`` along ``axes``; with ``axis=None`` if these are rows of a matrix."""
    return op()(x) if x.type.ndim == 2 and tuple(axes) == (1,) else op(tuple(axes))(x)


def widened(xp: ArrayNamespace, x: Array) -> Any:
    """Return ``x`` in the dtype to sum in: float16 would lose most of its digits."""
    return xp.astype(x, "float32") if x.dtype == "float16" else x


#: up to this many elements, the exact formula is used without testing whether it is needed
FEW = 1 << 14


def _parts(xp: ArrayNamespace, x: Array, axes: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """Return top = max(x), x - top, and log(sum(exp(x - top))), accurate also where it is small."""
    top = xp.max(x, axis=axes, keepdims=True, initial=-np.inf)
    base = xp.where(xp.isfinite(top), top, xp.zeros_like(top))
    if are_numbers(*x.shape) and math.prod(x.shape) <= FEW:
        ones = xp.sum(xp.astype(x == top, x.dtype), axis=axes, keepdims=True)
        # each largest element contributes exp(0) = 1; log1p adds one of them itself
        return top, x - base, xp.log1p(_less_largest(xp, x, top, base, axes) + (ones - 1))
    shifted = x - base
    total = xp.sum(xp.exp(shifted), axis=axes, keepdims=True)

    def exact(x: Array, top: Array, base: Array, total: Array) -> list[Any]:
        # a total near 1 has a single largest element; adding its 1 would lose digits of the rest
        rest = _less_largest(xp, x, top, base, axes)
        return [xp.where(total < 1.5, xp.log1p(rest), xp.log(total))]

    def plain(x: Array, top: Array, base: Array, total: Array) -> list[Any]:
        return [xp.log(total)]

    (log_total,) = xp.cond(xp.any(total < 1.5), exact, plain, [x, top, base, total])
    return top, shifted, log_total


def _less_largest(
    xp: ArrayNamespace, x: Array, top: Array, base: Array, axes: tuple[int, ...]
) -> Any:
    """Return sum(exp(x - base)) over all elements that are not the largest."""
    return xp.sum(xp.where(x == top, xp.zeros_like(x), xp.exp(x - base)), axis=axes, keepdims=True)


@documented_in("theano.tensor.nnet.nnet")
class Softmax(AlongAxis):
    """exp(x) / sum(exp(x)) of each row.

    Parameters
    ----------
    axis : int or list of ints, optional
        The dimensions to sum over; by default each row of a matrix, and a vector is one row.

    >>> import theano.tensor as T
    >>> T.nnet.Softmax(axis=0)(T.constant([0.0, 1000.0])).eval()
    array([0., 1.])
    """

    batch_rule = AlongAxis.batch_rule

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        wide = widened(xp, x)
        axes = self.axes(x.ndim)
        e = xp.exp(wide - xp.max(wide, axis=axes, keepdims=True, initial=-np.inf))
        return xp.astype(e / xp.sum(e, axis=axes, keepdims=True), x.dtype)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (y,), (g,) = outputs, output_grads
        return [SoftmaxGrad(self.axis)(g, y)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        # the Jacobian is symmetric
        return [None if dx is None else SoftmaxGrad(self.axis)(dx, self(x))]


def with_bias(xp: ArrayNamespace, x: Array, b: Array | None = None) -> Any:
    """Return ``x``, or ``x + b`` if there is a vector ``b`` to add to every row."""
    return x if b is None else x + b[None, :]


def check_bias(who: Op, x: Array, b: Array) -> None:
    """Raise ValueError unless ``b`` is as long as the rows of ``x``; it does not broadcast."""
    if b.shape[0] != x.shape[1]:
        raise ValueError(
            f"{who} takes b with as many elements as x has columns, got {b.shape[0]} for "
            f"{x.shape[1]}"
        )


@documented_in("theano.tensor.nnet.nnet")
class SoftmaxWithBias(Op):
    """softmax(x + b) of each row.

    Parameters
    ----------
    x : matrix of floats
    b : vector of floats
        Added to every row.

    >>> from theano.tensor.nnet import softmax_with_bias
    >>> softmax_with_bias([[0.0, 0.0], [1.0, 1.0]], [0.0, 1000.0]).eval()
    array([[0., 1.],
           [0., 1.]])
    """

    __call__: TensorCall

    __props__ = ()
    shape_like = 0

    def make_node(self, x: TensorLike, b: TensorLike) -> Apply:
        x, b = as_tensor_variable(x), as_tensor_variable(b)
        if x.ndim != 2 or x.dtype not in float_dtypes:
            raise ValueError(f"{self} takes a matrix of floats as x, got {x} of {x.type}")
        if b.ndim != 1 or b.dtype not in float_dtypes:
            raise ValueError(f"{self} takes a vector of floats as b, got {b} of {b.type}")
        return Apply(self, [x, b], [x.type()])

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        check_bias(self, *inputs)

    def compute(self, xp: ArrayNamespace, x: Array, b: Array) -> Any:
        return xp.astype(softmax_op.compute(xp, with_bias(xp, x, b)), x.dtype)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (_, b), (sm,), (g,) = inputs, outputs, output_grads
        gx = softmax_grad(g, sm)
        return [gx, cast(sum_(gx, axis=0), b.dtype)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        moved = [pad_left(d, 2) for d in eval_points if d is not None]
        if not moved:
            return [None]
        sm = self(*inputs)
        return [softmax_grad(fill(sm, sum(moved[1:], moved[0])), sm)]


@documented_in("theano.tensor.nnet.nnet")
class SoftmaxGrad(AlongAxis):
    """The gradient of softmax: ``sm * (dy - sum(dy * sm))``, where ``sm`` is the softmax.

    Parameters
    ----------
    dy, sm : matrices
        The gradient of the output of softmax, and that output.

    >>> from theano.tensor.nnet import softmax_grad
    >>> softmax_grad([[1.0, 0.0]], [[0.5, 0.5]]).eval().tolist()
    [[0.25, -0.25]]
    """

    shape_like = 1

    def make_node(self, dy: TensorLike, sm: TensorLike) -> Apply:  # type: ignore[override]
        dy, sm = self.input_of(dy), self.input_of(sm)
        return Apply(self, [dy, sm], [tensor_type(sm.dtype, sm.broadcastable)()])

    def compute(self, xp: ArrayNamespace, dy: Array, sm: Array) -> Any:
        return self._around(xp, dy, sm, lambda mean: mean)

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], dy: Array, sm: Array) -> Any:
        return self._around(xp, dy, sm, xp.once)

    def _around(
        self, xp: ArrayNamespace, dy: Array, sm: Array, once: Callable[[Array], Array]
    ) -> Any:
        g, y = widened(xp, dy), widened(xp, sm)
        mean = once(xp.sum(g * y, axis=self.axes(sm.ndim), keepdims=True))
        return xp.astype(y * (g - mean), sm.dtype)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (dy, sm), (g,) = inputs, output_grads
        axes = self.axes(sm.ndim)
        g_mean, dy_mean = (sum_(v * sm, axes, keepdims=True) for v in (g, dy))
        return [self(g, sm), dy * (g - g_mean) - g * dy_mean]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (dy, sm), (ddy, dsm) = inputs, eval_points
        axes = self.axes(sm.ndim)
        moved = []
        if ddy is not None:
            moved.append(self(ddy, sm))
        if dsm is not None:
            mean, dmean = (sum_(dy * v, axes, keepdims=True) for v in (sm, dsm))
            moved.append(dsm * (dy - mean) - sm * dmean)
        return [sum(moved[1:], moved[0]) if moved else None]


@documented_in("theano.tensor.nnet.nnet")
class LogSoftmax(AlongAxis):
    """log(softmax(x)) of each row, accurate also where softmax rounds to 0 or 1.

    Parameters
    ----------
    axis : int or list of ints, optional
        The dimensions to sum over; by default each row of a matrix, and a vector is one row.

    >>> import theano.tensor as T
    >>> T.nnet.LogSoftmax(axis=0)(T.constant([0.0, 1000.0])).eval()
    array([-1000.,     0.])
    """

    batch_rule = AlongAxis.batch_rule

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        top, shifted, total = _parts(xp, widened(xp, x), self.axes(x.ndim))
        # NaN where the largest element is infinite, as in softmax
        total = xp.where(xp.isfinite(top), total, xp.full_like(total, np.nan))
        return xp.astype(shifted - total, x.dtype)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (g,) = inputs, output_grads
        return [g - sum_(g, self.axes(x.ndim), keepdims=True) * Softmax(self.axis)(x)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        if dx is None:
            return [None]
        mean = sum_(dx * Softmax(self.axis)(x), self.axes(x.ndim), keepdims=True)
        return [dx - mean]


class LogSumExp(AlongAxis):
    """log(sum(exp(x))) over the dimensions ``axis``, which are dropped; over all if it is None.

    >>> import theano.tensor as T
    >>> LogSumExp()(T.constant([1000.0, 1000.0])).eval().round(4).item()
    1000.6931
    """

    batch_rule = AlongAxis.batch_rule

    def input_of(self, given: TensorLike) -> TensorVariable:
        x = as_tensor_variable(given)
        settle_axis(self.axis, x, str(self))
        if x.dtype not in float_dtypes:
            raise ValueError(f"{self} takes floats, got {x} of {x.type}; cast it first")
        return x

    def axes(self, ndim: int) -> tuple[int, ...]:
        return tuple(range(ndim)) if self.axis is None else AlongAxis.axes(self, ndim)

    def make_node(self, x: TensorLike) -> Apply:
        x = self.input_of(x)
        gone = self.axes(x.ndim)
        pattern = tuple(b for i, b in enumerate(x.broadcastable) if i not in gone)
        return Apply(self, [x], [tensor_type(x.dtype, pattern)()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        axes = self.axes(x.ndim)
        top, _, total = _parts(xp, widened(xp, x), axes)
        result = xp.where(xp.isfinite(top), top + total, top)
        return xp.astype(xp.squeeze(result, axis=axes), x.dtype)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        gone = self.axes(node.inputs[0].type.ndim)
        return [tuple(n for i, n in enumerate(shapes[0]) if i not in gone)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (g,) = inputs, output_grads
        axes = self.axes(x.ndim)
        return [spread(x, g, axes) * along(Softmax, x, axes)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        axes = self.axes(x.ndim)
        return [None if dx is None else sum_(dx * along(Softmax, x, axes), axes)]


softmax_op = Softmax()
logsoftmax_op = LogSoftmax()
softmax_grad = SoftmaxGrad()
softmax_with_bias = SoftmaxWithBias()


@documented_in("theano.tensor.nnet.nnet")
def softmax(c: TensorLike, axis: Axis = None) -> Any:
    r"""Return exp(c) / sum(exp(c)), computed without overflow.

    .. math:: \mathrm{softmax}(c)_i = \frac{e^{c_i}}{\sum_j e^{c_j}}

    Parameters
    ----------
    c : tensor of floats
        Without ``axis``, a matrix, or a vector, which is treated as a matrix of one row; the
        result is a matrix. With ``axis``, a tensor of any number of dimensions.
    axis : int or list of ints, optional
        The dimensions to sum over; by default each row of a matrix.

    >>> import theano.tensor as T
    >>> T.nnet.softmax(T.constant([[0.0, 0.0], [1000.0, 0.0]])).eval()
    array([[0.5, 0.5],
           [1. , 0. ]])
    >>> T.nnet.softmax(T.zeros((2, 4, 3)), axis=1).eval()[0, 0]
    array([0.25, 0.25, 0.25])
    """
    return _named(softmax_op, c, axis)


@documented_in("theano.tensor.nnet.nnet")
def logsoftmax(c: TensorLike, axis: Axis = None) -> Any:
    r"""Return log(softmax(c)), finite also where softmax rounds to 0.

    .. math:: \log \mathrm{softmax}(c)_i = c_i - \log \sum_j e^{c_j}

    Parameters
    ----------
    c : tensor of floats
        Without ``axis``, a matrix, or a vector, which is treated as a matrix of one row; the
        result is a matrix. With ``axis``, a tensor of any number of dimensions.
    axis : int or list of ints, optional
        The dimensions to sum over; by default each row of a matrix.

    >>> import theano.tensor as T
    >>> T.nnet.logsoftmax(T.constant([[1000.0, 0.0]])).eval()
    array([[    0., -1000.]])
    """
    return _named(logsoftmax_op, c, axis)


@documented_in("theano.tensor.nnet.nnet")
def softmax_graph(c: TensorLike) -> Any:
    """Build exp(c) / sum(exp(c)) over the last dimension; rewriting turns it into softmax.

    Parameters
    ----------
    c : tensor of floats

    >>> import theano.tensor as T
    >>> x = T.dmatrix("x")
    >>> T.nnet.softmax_graph(x).eval({x: [[0.0, 1000.0]]})
    array([[0., 1.]])
    """
    e = exp(c)
    return true_div(e, sum_(e, axis=-1, keepdims=True))


def _named(op: AlongAxis, c: TensorLike, axis: Axis) -> Any:
    if axis is None:
        return op(c)
    c = as_tensor_variable(c)
    return along(type(op), c, settle_axis(read_axis(axis, str(op)), c, str(op)) or ())
