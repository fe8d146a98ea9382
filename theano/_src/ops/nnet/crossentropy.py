"""Crossentropy fused with the softmax before it, and its gradient."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ground.length_numbers import are_numbers
from theano._src.ops.core.cast import cast
from theano._src.ops.core.dimshuffle import pad_left
from theano._src.ops.elementwise.arithmetic import add, fill, mul, sub
from theano._src.ops.index.index import inc_subtensor
from theano._src.ops.nnet.class_index import OfClasses, classes, floats, picked
from theano._src.ops.nnet.softmax import SoftmaxGrad, check_bias, widened, with_bias
from theano._src.ops.reduce.careduce import sum as sum_
from theano._src.ops.shape.dims import dimshuffle
from theano._src.ops.shape.shape import shape_i
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.null import DisconnectedType, disconnected
from theano._src.types.tensor import TensorVariable, tensor_type

#: up to this many elements, the exact sum is used without testing whether it is needed
_FEW = 1 << 14


def _rest(xp: ArrayNamespace, s: Array, top: Array, e: Array) -> Any:
    """Return sum(e) - 1 of each row for e = exp(s - top), accurate also where it is small."""

    def without_ones(e: Array) -> Any:
        return xp.sum(xp.where(e == 1, xp.zeros_like(e), e), axis=1)

    if are_numbers(*s.shape) and math.prod(s.shape) <= _FEW:
        # one of the largest elements is excluded, the others count
        return without_ones(e) + (xp.sum(xp.astype(e == 1, e.dtype), axis=1) - 1)
    total = xp.sum(e, axis=1)

    def exact(s: Array, top: Array, total: Array) -> list[Any]:
        # a total below 1.5 has a single largest element
        return [xp.where(total < 1.5, without_ones(xp.exp(s - top)), total - 1)]

    def plain(s: Array, top: Array, total: Array) -> list[Any]:
        return [total - 1]

    return xp.cond(xp.any(total < 1.5), exact, plain, [s, top, total])[0]


class CrossentropySoftmax1Hot(OfClasses):
    """-log(softmax(x)) at the class of each row, and the softmax; accurate, as they are fused.

    >>> import theano.tensor as T
    >>> nll, sm = CrossentropySoftmax1Hot()([[1000.0, 0.0], [0.0, 0.0]], [1, 0])
    >>> nll.eval(), sm.eval().tolist()
    (array([1.00000000e+03, 6.93147181e-01]), [[1.0, 0.0], [0.5, 0.5]])
    """

    __props__ = ("indexed",)
    __str__ = OfClasses.__str__
    #: number of inputs that make up the scores: x, or x and a bias
    n_scores = 1

    def make_node(self, *inputs: TensorLike) -> Apply:
        x, y = floats(self, "x", inputs[0], 2), classes(self, inputs[-1])
        bias = [floats(self, "b", b, 1) for b in inputs[1:-1]]
        nll = tensor_type(x.dtype, y.broadcastable)()
        return Apply(self, [x, *bias, y], [nll, x.type(), *self._further(y)])

    def _further(self, y: TensorVariable) -> list[Variable]:
        return []

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        x, y = inputs[0], inputs[-1]
        if x.shape[1] == 0:
            raise ValueError(f"{self} takes at least one column, got x of shape {x.shape}")
        if self.n_scores == 2:
            check_bias(self, x, inputs[1])
        self.agree(x.shape, y)

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        return self.in_bounds(xp, inputs[-1], inputs[0].shape[1])

    def compute(self, xp: ArrayNamespace, *inputs: Array) -> Any:
        *scores, y = inputs
        # flat indices: NumPy takes elements faster by these than by rows and columns
        s = np.ascontiguousarray(widened(xp, with_bias(xp, *scores)))
        n, k = s.shape
        y = self.columns(xp, y, k)
        first = np.arange(0, n * k, k)
        best = s.argmax(axis=1)
        place = first + best
        flat = s.reshape(-1)
        top, at_y = flat.take(place), flat.take(first[: len(y)] + y)
        # with a bias, s is a new array and can be overwritten
        e = np.subtract(s, top[:, None], out=s if self.n_scores == 2 else None)
        np.exp(e, out=e)
        # the largest is exp(0) = 1: log1p of the sum of the others keeps its digits.
        # top - top is 0, or NaN where top is not finite
        none = top - top
        e_flat = e.reshape(-1)
        e_flat[place] = none
        rest = e.sum(axis=1)
        e_flat[place] = none + 1
        e /= (rest + 1)[:, None]
        nll = np.log1p(rest)[: len(y)] + (top[: len(y)] - at_y)
        return self._outputs(xp, inputs, nll, e, best)

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        *scores, y = inputs
        s = widened(xp, with_bias(xp, *scores))
        m, y = y.shape[0], self.columns(xp, y, s.shape[1])
        top = xp.max(s, axis=1, keepdims=True)
        e = xp.exp(s - top)
        rest = _rest(xp, s, top, e)
        at_y = xp.one_of_each_row(s[:m], y)
        nll = xp.log1p(rest)[:m] + (top[:m, 0] - at_y)
        sm = e / (rest + 1)[:, None]
        return self._outputs(xp, inputs, nll, sm, xp.argmax(s, axis=1))

    def _outputs(
        self, xp: ArrayNamespace, inputs: Arrays, nll: Array, sm: Array, best: Array
    ) -> tuple[Any, ...]:
        dtype = inputs[0].dtype
        return xp.astype(nll, dtype), xp.astype(sm, dtype)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[-1], shapes[0], (shapes[0][0],)][: len(node.outputs)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        y, sm = inputs[-1], outputs[1]
        g_nll, g_sm = output_grads[:2]
        terms = []
        if not isinstance(g_nll.type, DisconnectedType):
            terms.append(CrossentropySoftmax1HotWithBiasDx(self.indexed)(g_nll, sm, y))
        if not isinstance(g_sm.type, DisconnectedType):
            terms.append(SoftmaxGrad()(g_sm, sm))
        if not terms:
            return [disconnected() for _ in inputs]
        gx = terms[0] if len(terms) == 1 else add(*terms)
        gb = [cast(sum_(gx, axis=0), b.dtype) for b in inputs[1 : self.n_scores]]
        return [gx, *gb, disconnected()]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        outputs = self(*inputs, return_list=True)
        nll, sm = outputs[:2]
        moved = [pad_left(d, 2) for d in eval_points[: self.n_scores] if d is not None]
        if not moved:
            return [None] * len(outputs)
        ds = cast(fill(sm, moved[0] if len(moved) == 1 else add(*moved)), sm.dtype)
        unit = CrossentropySoftmax1HotWithBiasDx(self.indexed)(fill(nll, 1.0), sm, inputs[-1])
        dnll = sum_(mul(unit, ds), axis=1)
        dnll = dnll[: shape_i(inputs[-1], 0)] if self.indexed else dnll
        return [dnll, SoftmaxGrad()(ds, sm), None][: len(outputs)]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        reached = [True, True, False][: len(node.outputs)]
        return [*([reached] * self.n_scores), [False] * len(node.outputs)]


@documented_in("theano.tensor.nnet.nnet")
class CrossentropySoftmaxArgmax1HotWithBias(CrossentropySoftmax1Hot):
    """-log(softmax(x + b)) at the class of each row, the softmax, and its argmax.

    Parameters
    ----------
    x : matrix of floats
        Scores: a row for each example, a column for each class.
    b : vector of floats
        Added to every row.
    y_idx : vector of integers
        The class of each row.

    >>> from theano.tensor.nnet import crossentropy_softmax_argmax_1hot_with_bias as op
    >>> nll, sm, best = op([[0.0, 0.0]], [1000.0, 0.0], [1])
    >>> nll.eval(), sm.eval(), best.eval()
    (array([1000.]), array([[1., 0.]]), array([0]))
    """

    __props__ = ("indexed",)
    __str__ = OfClasses.__str__
    n_scores = 2

    def make_node(self, x: TensorLike, b: TensorLike, y_idx: TensorLike) -> Apply:  # type: ignore[override]
        return CrossentropySoftmax1Hot.make_node(self, x, b, y_idx)

    def _further(self, y: TensorVariable) -> list[Variable]:
        return [tensor_type(_position_dtype(y.dtype), (False,))()]

    def _outputs(
        self, xp: ArrayNamespace, inputs: Arrays, nll: Array, sm: Array, best: Array
    ) -> tuple[Any, ...]:
        outs = CrossentropySoftmax1Hot._outputs(self, xp, inputs, nll, sm, best)
        return *outs, xp.astype(best, _position_dtype(inputs[-1].dtype.name))


def _position_dtype(dtype: str) -> str:
    # the dtype of the classes, unless it is so narrow that a column index might wrap
    return dtype if dtype in ("int32", "int64", "uint32", "uint64") else "int64"


@documented_in("theano.tensor.nnet.nnet")
class CrossentropySoftmax1HotWithBiasDx(OfClasses):
    """The gradient of crossentropy with softmax: ``dy * (sm - 1)`` at classes, else ``dy * sm``.

    Parameters
    ----------
    dy : vector or scalar
        The gradient of the crossentropy of each row.
    sm : matrix
        The softmax of the scores.
    y_idx : vector of integers
        The class of each row.

    >>> from theano.tensor.nnet import crossentropy_softmax_1hot_with_bias_dx
    >>> crossentropy_softmax_1hot_with_bias_dx([1.0], [[0.25, 0.75]], [1]).eval()
    array([[ 0.25, -0.25]])
    """

    __props__ = ("indexed",)
    __str__ = OfClasses.__str__
    shape_like = 1
    nondiff_inputs = (2,)

    def make_node(self, dy: TensorLike, sm: TensorLike, y_idx: TensorLike) -> Apply:
        dy = as_tensor_variable(dy)
        dy = floats(self, "dy", dy, 1 if dy.ndim else 0)
        sm, y = floats(self, "sm", sm, 2), classes(self, y_idx)
        return Apply(self, [dy, sm, y], [sm.type()])

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        dy, sm, y = inputs
        if dy.ndim and dy.shape != y.shape:
            raise ValueError(
                f"{self} takes dy with as many elements as there are classes, got {dy.shape[0]} "
                f"for {y.shape[0]}"
            )
        self.agree(sm.shape, y)

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        _, sm, y = inputs
        return self.in_bounds(xp, y, sm.shape[1])

    def compute(self, xp: ArrayNamespace, dy: Array, sm: Array, y: Array) -> Any:
        n, k = sm.shape
        dy = xp.astype(dy, sm.dtype)
        by = dy[:, None] if dy.ndim and len(y) == n else self._spread(xp, dy, len(y), n)
        out = np.multiply(sm, by, order="C")
        place = np.arange(0, len(y) * k, k) + self.columns(xp, y, k)
        out.reshape(-1)[place] -= dy
        return out

    def lower_xla(
        self, xp: ArrayNamespace, sizes: Sequence[int], dy: Array, sm: Array, y: Array
    ) -> Any:
        n = sm.shape[0]
        dy = xp.astype(dy, sm.dtype)
        dy = dy[:, None] if dy.ndim and y.shape[0] == n else self._spread(xp, dy, y.shape[0], n)
        return dy * (sm - xp.astype(self.mask(xp, y, sm.shape), sm.dtype))

    @staticmethod
    def _spread(xp: ArrayNamespace, dy: Array, m: int, n: int) -> Any:
        """Return ``dy`` for each of ``n`` rows; 0 for rows after the ``m`` that have a class."""
        if m == n:
            return dy
        return xp.concatenate([xp.broadcast_to(dy, (m,)), xp.zeros((n - m,), dy.dtype)])[:, None]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (dy, sm, y), (g,) = inputs, output_grads
        n = shape_i(y, 0)
        gdy = sub(sum_(mul(g, sm), axis=1)[:n], picked(g, y))
        gdy = gdy if dy.ndim else sum_(gdy)
        rows = mul(g[:n], dimshuffle(dy, 0, "x") if dy.ndim else dy)
        gsm = inc_subtensor(sm.zeros_like()[:n], rows) if self.indexed else rows
        return [cast(gdy, dy.dtype), cast(gsm, sm.dtype), disconnected()]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (dy, sm, y), (ddy, dsm, _) = inputs, eval_points
        moved = [] if ddy is None else [self(ddy, sm, y)]
        if dsm is not None:
            n = shape_i(y, 0)
            rows = mul(dsm[:n], dimshuffle(dy, 0, "x") if dy.ndim else dy)
            moved.append(inc_subtensor(sm.zeros_like()[:n], rows) if self.indexed else rows)
        return [None if not moved else moved[0] if len(moved) == 1 else add(*moved)]


crossentropy_softmax_argmax_1hot_with_bias = CrossentropySoftmaxArgmax1HotWithBias()
crossentropy_softmax_1hot_with_bias_dx = CrossentropySoftmax1HotWithBiasDx()
