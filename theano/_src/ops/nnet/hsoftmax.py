"""Two-level softmax, confusion matrices, and ops that prepend a column to a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.arrays.unique import unique
from theano._src.ops.core.cast import cast
from theano._src.ops.elementwise.arithmetic import add, floor_div, mod, mul
from theano._src.ops.elementwise.compare import eq
from theano._src.ops.linalg.dot import batched_dot, dot, tensordot
from theano._src.ops.nnet.softmax import softmax
from theano._src.ops.reduce.careduce import sum as sum_
from theano._src.ops.shape.dims import dimshuffle
from theano._src.ops.shape.join import join
from theano._src.ops.shape.ranges import arange
from theano._src.ops.shape.shape import flatten, reshape
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.tensor import tensor_type


@documented_in("theano.tensor.nnet.nnet")
def h_softmax(
    x: TensorLike,
    batch_size: int | Variable,
    n_outputs: int | Variable,
    n_classes: int | Variable,
    n_outputs_per_class: int | Variable,
    W1: TensorLike,
    b1: TensorLike,
    W2: TensorLike,
    b2: TensorLike,
    target: TensorLike = None,
) -> Any:
    """Return output probabilities of a two-level softmax: P(class) times P(output given class).

    Output ``i`` is in class ``i // n_outputs_per_class``. With ``target``, only the classes and
    the outputs of one class are computed for each row, which costs far less than all outputs.

    Parameters
    ----------
    x : matrix of shape (batch_size, features)
    batch_size : int
    n_outputs : int
        The number of outputs; the last class may have fewer than the others.
    n_classes : int
    n_outputs_per_class : int
    W1 : matrix of shape (features, n_classes)
    b1 : vector of length n_classes
    W2 : tensor of shape (n_classes, features, n_outputs_per_class)
    b2 : matrix of shape (n_classes, n_outputs_per_class)
    target : vector of integers, optional
        The output, for each row, whose probability is computed.

    Returns
    -------
    tensor
        The vector of the probabilities of the targets; without targets, a matrix with the
        probability of every output.

    >>> import numpy as np
    >>> import theano.tensor as T
    >>> scores = np.zeros((2, 3, 2))
    >>> rest = np.zeros((3, 2)), np.zeros(2), scores, np.zeros((2, 2))
    >>> T.nnet.h_softmax(T.ones((1, 3)), 1, 4, 2, 2, *rest).eval()
    array([[0.25, 0.25, 0.25, 0.25]])
    >>> T.nnet.h_softmax(T.ones((1, 3)), 1, 4, 2, 2, *rest, target=[3]).eval()
    array([0.25])
    """
    x, W1, b1, W2, b2 = map(as_tensor_variable, (x, W1, b1, W2, b2))
    of_class = softmax(add(dot(x, W1), b1))
    if target is None:
        scores = add(tensordot(x, W2, ((1,), (1,))), b2)
        within = softmax(reshape(scores, (-1, n_outputs_per_class), ndim=2))
        within = reshape(within, (batch_size, n_classes, -1), ndim=3)
        both = mul(dimshuffle(of_class, 0, 1, "x"), within)
        return reshape(both, (batch_size, -1), ndim=2)[:, :n_outputs]
    target = flatten(as_tensor_variable(target))
    number = floor_div(target, n_outputs_per_class)
    place = mod(target, n_outputs_per_class)
    scores = add(batched_dot(x, W2[number]), b2[number])
    rows = arange(batch_size)
    return mul(of_class[rows, number], softmax(scores)[rows, place])


@documented_in("theano.tensor.nnet.nnet")
def confusion_matrix(actual: TensorLike, pred: TensorLike) -> list[Any]:
    """Count how often each actual value was predicted as each value.

    Parameters
    ----------
    actual, pred : vectors
        The actual values, and the predicted ones.

    Returns
    -------
    counts : matrix of int64
        A row for each actual value, a column for each predicted one.
    order : vector
        The values of the rows and columns, in ascending order.

    >>> import theano.tensor as T
    >>> counts, order = T.nnet.confusion_matrix([2, 0, 2, 2], [0, 0, 2, 2])
    >>> counts.eval().tolist(), order.eval().tolist()
    ([[1, 0], [1, 2]], [0, 2])
    """
    actual, pred = as_tensor_variable(actual), as_tensor_variable(pred)
    for name, v in (("actual", actual), ("pred", pred)):
        if v.ndim != 1:
            raise ValueError(f"confusion_matrix takes vectors, got {name} = {v} of {v.type}")
    order = unique(join(0, actual, pred))
    is_actual, is_pred = (
        cast(eq(dimshuffle(v, 0, "x"), dimshuffle(order, "x", 0)), "int64") for v in (actual, pred)
    )
    return [dot(is_actual.T, is_pred), order]


class _Prepending(Op):
    """Base class of the ops that prepend a column to a matrix."""

    def _matrix(self, mat: TensorLike) -> Any:
        mat = as_tensor_variable(mat)
        if mat.ndim != 2:
            raise TypeError(f"{self} takes a matrix, got {mat} of {mat.type}")
        return mat

    def _node(self, inputs: Sequence[Any]) -> Apply:
        mat = inputs[-1]
        out = tensor_type(mat.dtype, (mat.broadcastable[0], False))()
        return Apply(self, list(inputs), [out])

    def _put(self, xp: ArrayNamespace, val: Array | float, mat: Array) -> Any:
        column = xp.broadcast_to(xp.astype(xp.asarray(val), mat.dtype), (mat.shape[0], 1))
        return xp.concatenate([column, mat], axis=1)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        n, k = shapes[-1]
        return [(n, add(k, constant(np.asarray(1, "int64"))))]


@documented_in("theano.tensor.nnet.nnet")
class Prepend_scalar_to_each_row(_Prepending):
    """The matrix with a first column added that holds the scalar ``val`` in each row.

    Parameters
    ----------
    val : scalar
    mat : matrix

    >>> from theano.tensor.nnet import prepend_scalar_to_each_row
    >>> prepend_scalar_to_each_row(5.0, [[1.0, 2.0]]).eval().tolist()
    [[5.0, 1.0, 2.0]]
    """

    __props__ = ()

    def make_node(self, val: TensorLike, mat: TensorLike) -> Apply:
        val, mat = as_tensor_variable(val), self._matrix(mat)
        if val.ndim:
            raise TypeError(f"{self} takes a scalar as val, got {val} of {val.type}")
        return self._node([val, mat])

    def compute(self, xp: ArrayNamespace, val: Array, mat: Array) -> Any:
        return self._put(xp, val, mat)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g,) = output_grads
        return [sum_(g[:, 0]), g[:, 1:]]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (_, mat), (dval, dmat) = inputs, eval_points
        if dval is None and dmat is None:
            return [None]
        return [self(0 if dval is None else dval, mat.zeros_like() if dmat is None else dmat)]


@documented_in("theano.tensor.nnet.nnet")
class Prepend_scalar_constant_to_each_row(_Prepending):
    """The matrix with a first column added that holds the constant ``val`` in each row.

    Parameters
    ----------
    val : number

    >>> from theano.tensor.nnet import Prepend_scalar_constant_to_each_row
    >>> Prepend_scalar_constant_to_each_row(1)([[5.0, 2.0]]).eval().tolist()
    [[1.0, 5.0, 2.0]]
    """

    __props__ = ("val",)

    def __init__(self, val: float = 0) -> None:
        self.val = float(val)

    def make_node(self, mat: TensorLike) -> Apply:
        return self._node([self._matrix(mat)])

    def compute(self, xp: ArrayNamespace, mat: Array) -> Any:
        return self._put(xp, self.val, mat)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g,) = output_grads
        return [g[:, 1:]]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (dmat,) = eval_points
        return [None if dmat is None else Prepend_scalar_constant_to_each_row(0)(dmat)]

    def __str__(self) -> str:
        return f"{type(self).__name__}{{{self.val}}}"


prepend_scalar_to_each_row = Prepend_scalar_to_each_row()
prepend_0_to_each_row = Prepend_scalar_constant_to_each_row(0.0)
prepend_1_to_each_row = Prepend_scalar_constant_to_each_row(1.0)
