"""Loss functions: crossentropies for classes and for distributions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.graph.graph import Apply
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.core.scalar import BinaryRealOp
from theano._src.ops.elementwise.activations import sigmoid
from theano._src.ops.elementwise.arithmetic import add, mul, neg, sub
from theano._src.ops.elementwise.explog import (
    log,
)
from theano._src.ops.nnet.class_index import OfClasses, floats, picked
from theano._src.ops.nnet.crossentropy import (
    CrossentropySoftmax1Hot,
    crossentropy_softmax_argmax_1hot_with_bias,
)
from theano._src.ops.reduce.careduce import sum as sum_
from theano._src.ops.reduce.max_min import max_and_argmax
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import discrete_dtypes, float_dtypes
from theano._src.types.null import disconnected
from theano._src.types.tensor import TensorCall, tensor_type


class _Categorical(OfClasses):
    def _inputs(self, coding: TensorLike, y: TensorLike) -> tuple[Any, Any]:
        coding, y = as_tensor_variable(coding), as_tensor_variable(y)
        if coding.ndim != 2:
            raise TypeError(f"{self} takes a matrix as coding_dist, got {coding} of {coding.type}")
        if y.ndim != 1 or y.dtype not in discrete_dtypes:
            raise TypeError(
                f"{self} takes an integer vector as true_one_of_n, got {y} of {y.type}; "
                "distributions need as many dimensions as coding_dist"
            )
        return (coding if coding.dtype in float_dtypes else cast(coding, "floatX")), y

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        coding, y = inputs[-2:]
        return self.in_bounds(xp, y, coding.shape[1])

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        coding, y = inputs[-2:]
        self.agree(coding.shape, y)


@documented_in("theano.tensor.nnet.nnet")
class CrossentropyCategorical1Hot(_Categorical):
    """-log(coding_dist[i, true_one_of_n[i]]) for each row.

    Parameters
    ----------
    coding_dist : matrix
        A distribution in each row.
    true_one_of_n : vector of integers
        The class of each row.

    >>> from theano.tensor.nnet import crossentropy_categorical_1hot
    >>> crossentropy_categorical_1hot([[0.25, 0.75]], [1]).eval()
    array([0.28768207])
    """

    __call__: TensorCall

    __props__ = ()
    nondiff_inputs = (1,)

    def __init__(self) -> None:
        OfClasses.__init__(self, False)

    def make_node(self, coding_dist: TensorLike, true_one_of_n: TensorLike) -> Apply:
        coding, y = self._inputs(coding_dist, true_one_of_n)
        return Apply(self, [coding, y], [tensor_type(coding.dtype, coding.broadcastable[:1])()])

    def compute(self, xp: ArrayNamespace, coding: Array, y: Array) -> Any:
        y = self.columns(xp, y, coding.shape[1])
        return -xp.log(coding[xp.arange(y.shape[0]), y])

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0][:1]]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (coding, y), (g,) = inputs, output_grads
        return [crossentropy_categorical_1hot_grad(g, coding, y), disconnected()]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (coding, y), (dcoding, _) = inputs, eval_points
        return [None if dcoding is None else neg(picked(dcoding, y)) / picked(coding, y)]


@documented_in("theano.tensor.nnet.nnet")
class CrossentropyCategorical1HotGrad(_Categorical):
    """The gradient of CrossentropyCategorical1Hot: -g_y / coding_dist at the classes, else 0.

    Parameters
    ----------
    g_y : vector
    coding_dist : matrix
    true_one_of_n : vector of integers

    >>> from theano.tensor.nnet import crossentropy_categorical_1hot_grad
    >>> crossentropy_categorical_1hot_grad([1.0], [[0.25, 0.75]], [0]).eval()
    array([[-4.,  0.]])
    """

    __props__ = ()
    shape_like = 1
    nondiff_inputs = (2,)

    def __init__(self) -> None:
        OfClasses.__init__(self, False)

    def make_node(
        self, g_y: TensorLike, coding_dist: TensorLike, true_one_of_n: TensorLike
    ) -> Apply:
        coding, y = self._inputs(coding_dist, true_one_of_n)
        return Apply(self, [floats(self, "g_y", g_y, 1), coding, y], [coding.type()])

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        g, coding, y = inputs
        m, n = g.shape[0], y.shape[0]
        if m != n:
            raise ValueError(f"{self} takes one g_y for each class, got {m} for {n}")
        self.agree(coding.shape, y)

    def compute(self, xp: ArrayNamespace, g: Array, coding: Array, y: Array) -> Any:
        at = (xp.arange(y.shape[0]), self.columns(xp, y, coding.shape[1]))
        slope = xp.astype(-g / coding[at], coding.dtype)
        return xp.index_set(xp.zeros_like(coding), at, slope)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g_y, coding, y), (g,) = inputs, output_grads
        slope = neg(picked(g, y)) / picked(coding, y)
        return [slope, self(mul(slope, g_y), coding, y), disconnected()]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (g_y, coding, y), (dg, dcoding, _) = inputs, eval_points
        moved = [] if dg is None else [self(dg, coding, y)]
        if dcoding is not None:
            slope = neg(picked(dcoding, y)) / picked(coding, y)
            moved.append(self(mul(slope, g_y), coding, y))
        return [None if not moved else moved[0] if len(moved) == 1 else add(*moved)]


class SigmoidBinaryCrossentropy(BinaryRealOp):
    """The crossentropy of sigmoid(x) with a target: finite and exact wherever x is finite."""

    name = "sigmoid_binary_crossentropy"

    def compute(self, xp: ArrayNamespace, x: Array, t: Array) -> Any:
        # softplus(x) - t * x loses its digits where t is 1 and x is large
        above = xp.astype(x > 0, x.dtype)
        return xp.log1p(xp.exp(-xp.abs(x))) + x * (above - t)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, t), (g,) = inputs, output_grads
        x, t = cast(x, g.dtype), cast(t, g.dtype)
        return [g * (sigmoid(x) - t), g * neg(x)]


crossentropy_categorical_1hot = CrossentropyCategorical1Hot()
crossentropy_categorical_1hot_grad = CrossentropyCategorical1HotGrad()
_sigmoid_binary_crossentropy = Elemwise(
    SigmoidBinaryCrossentropy(), name="sigmoid_binary_crossentropy"
)


@documented_in("theano.tensor.nnet.nnet")
def binary_crossentropy(output: TensorLike, target: TensorLike) -> Any:
    r"""Return -(target * log(output) + (1 - target) * log(1 - output)), element by element.

    .. math:: -\left(t \, \log o + (1 - t) \, \log(1 - o)\right)

    If ``output`` is a sigmoid, rewriting keeps the result and its gradient finite for any score.

    Parameters
    ----------
    output : tensor
        Predicted probabilities.
    target : tensor
        Target probabilities, between 0 and 1.

    >>> import theano.tensor as T
    >>> T.nnet.binary_crossentropy([0.5, 0.9], [1.0, 0.0]).eval()
    array([0.69314718, 2.30258509])
    """
    output, target = as_tensor_variable(output), as_tensor_variable(target)
    right = mul(target, log(output))
    wrong = mul(sub(1.0, target), log(sub(1.0, output)))
    return neg(add(right, wrong))


@documented_in("theano.tensor.nnet.nnet")
def sigmoid_binary_crossentropy(output: TensorLike, target: TensorLike) -> Any:
    """Return ``binary_crossentropy(sigmoid(output), target)``, computed by one op.

    Parameters
    ----------
    output : tensor
        Scores, before the sigmoid.
    target : tensor
        Target probabilities, between 0 and 1.

    >>> import theano.tensor as T
    >>> T.nnet.sigmoid_binary_crossentropy([0.0, 1000.0], [1.0, 0.0]).eval()
    array([6.93147181e-01, 1.00000000e+03])
    """
    return _sigmoid_binary_crossentropy(output, target)


@documented_in("theano.tensor.nnet.nnet")
def categorical_crossentropy(coding_dist: TensorLike, true_dist: TensorLike) -> Any:
    r"""Return the crossentropy between true and predicted distributions, one number per row.

    .. math:: H(t, q)_i = -\sum_j t_{ij} \, \log q_{ij}

    If ``coding_dist`` is a softmax, rewriting fuses the two, and the result is finite for any
    score.

    Parameters
    ----------
    coding_dist : matrix, or tensor
        A predicted distribution in each row.
    true_dist : matrix, or vector of integers
        The true distribution, or the class, of each row. A tensor of distributions has as many
        dimensions as ``coding_dist``; the last is summed over.

    >>> import theano.tensor as T
    >>> T.nnet.categorical_crossentropy([[0.25, 0.75]], [1]).eval()
    array([0.28768207])
    >>> T.nnet.categorical_crossentropy([[0.25, 0.75]], [[0.0, 1.0]]).eval()
    array([0.28768207])
    """
    coding, true = as_tensor_variable(coding_dist), as_tensor_variable(true_dist)
    if true.ndim == coding.ndim:
        return neg(sum_(mul(true, log(coding)), axis=coding.ndim - 1))
    if true.ndim != coding.ndim - 1:
        raise TypeError(
            "categorical_crossentropy takes distributions with as many dimensions as "
            f"coding_dist, or a class for each of its rows, got {true} of {true.type} for "
            f"{coding} of {coding.type}"
        )
    return crossentropy_categorical_1hot(coding, true)


@documented_in("theano.tensor.nnet.nnet")
def crossentropy_softmax_1hot(x: TensorLike, y_idx: TensorLike, **kwargs: Any) -> list[Any]:
    """Return -log(softmax(x)) at the class of each row, and the softmax.

    Parameters
    ----------
    x : matrix of floats
        Scores: a row for each example, a column for each class.
    y_idx : vector of integers
        The class of each row.
    **kwargs
        Accepted for older programs, and without effect.

    >>> import theano.tensor as T
    >>> nll, sm = T.nnet.crossentropy_softmax_1hot(x=[[0.0, 1000.0]], y_idx=[0])
    >>> nll.eval(), sm.eval()
    (array([1000.]), array([[0., 1.]]))
    """
    return list(CrossentropySoftmax1Hot()(x, y_idx))


@documented_in("theano.tensor.nnet.nnet")
def crossentropy_softmax_1hot_with_bias(
    x: TensorLike, b: TensorLike, y_idx: TensorLike, **kwargs: Any
) -> list[Any]:
    """Return ``crossentropy_softmax_1hot(x + b, y_idx)``.

    Parameters
    ----------
    x : matrix of floats
    b : vector of floats
        Added to every row.
    y_idx : vector of integers
    **kwargs
        Accepted for older programs, and without effect.

    >>> import theano.tensor as T
    >>> nll, sm = T.nnet.crossentropy_softmax_1hot_with_bias([[0.0, 0.0]], [0.0, 9.0], [1])
    >>> nll.eval().round(6)
    array([0.000123])
    """
    return list(crossentropy_softmax_argmax_1hot_with_bias(x, b, y_idx)[:2])


@documented_in("theano.tensor.nnet.nnet")
def crossentropy_softmax_max_and_argmax_1hot(
    x: TensorLike, y_idx: TensorLike, **kwargs: Any
) -> list[Any]:
    """Return ``crossentropy_softmax_1hot``, and the maximum and argmax of each softmax row.

    Parameters
    ----------
    x : matrix of floats
    y_idx : vector of integers
    **kwargs
        Accepted for older programs, and without effect.

    >>> import theano.tensor as T
    >>> outs = T.nnet.crossentropy_softmax_max_and_argmax_1hot([[0.0, 1000.0]], [0])
    >>> [v.eval().tolist() for v in outs]
    [[1000.0], [[0.0, 1.0]], [1.0], [1]]
    """
    nll, sm = crossentropy_softmax_1hot(x, y_idx)
    return [nll, sm, *max_and_argmax(sm, axis=-1)]


@documented_in("theano.tensor.nnet.nnet")
def crossentropy_softmax_max_and_argmax_1hot_with_bias(
    x: TensorLike, b: TensorLike, y_idx: TensorLike, **kwargs: Any
) -> list[Any]:
    """Return ``crossentropy_softmax_max_and_argmax_1hot(x + b, y_idx)``.

    Parameters
    ----------
    x : matrix of floats
    b : vector of floats
        Added to every row.
    y_idx : vector of integers
    **kwargs
        Accepted for older programs, and without effect.

    >>> from theano.tensor.nnet import crossentropy_softmax_max_and_argmax_1hot_with_bias
    >>> outs = crossentropy_softmax_max_and_argmax_1hot_with_bias([[0.0, 0.0]], [0.0, 1000.0], [0])
    >>> [v.eval().tolist() for v in outs]
    [[1000.0], [[0.0, 1.0]], [1.0], [1]]
    """
    nll, sm = crossentropy_softmax_1hot_with_bias(x, b, y_idx)
    return [nll, sm, *max_and_argmax(sm, axis=-1)]
