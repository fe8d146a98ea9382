"""Inner products of vectors and matrices, over chosen axes, and over batches."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import AsTensorError
from theano._src.ops.core.cast import cast
from theano._src.ops.core.grad_helpers import conjugated
from theano._src.ops.elementwise.arithmetic import add, mul
from theano._src.ops.linalg.einsum import Einsum, labelled_product
from theano._src.ops.shape.dims import dimshuffle, patternbroadcast
from theano._src.ops.shape.shape import flatten
from theano._src.types.aliases import DTypeLike, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import upcast
from theano._src.types.null import DisconnectedType
from theano._src.types.tensor import TensorCall, TensorVariable, tensor_type

#: the number of axes to sum over (also a float with an integer value), or the axes of a and of b
Axes: TypeAlias = float | Sequence[int | Sequence[int]]


def _common(xp: ArrayNamespace, a: Array, b: Array) -> tuple[Any, Any]:
    """Cast both to the dtype of their product."""
    dtype = upcast(a.dtype.name, b.dtype.name)
    return xp.astype(a, dtype), xp.astype(b, dtype)


@documented_in("theano.tensor.basic")
class Dot(Op):
    """The product of two vectors or matrices, summed over the last axis of x and the first of y."""

    __call__: TensorCall

    __props__ = ()

    def make_node(self, x: TensorLike, y: TensorLike) -> Apply:
        x, y = as_tensor_variable(x), as_tensor_variable(y)
        for i, v in enumerate((x, y)):
            if v.ndim not in (1, 2):
                raise TypeError(
                    f"Dot takes vectors and matrices, got {v.ndim} dimensions as input {i}: {v} of "
                    f"{v.type}; theano.tensor.dot takes any number"
                )
        pattern = x.broadcastable[:-1] + y.broadcastable[1:]
        return Apply(self, [x, y], [tensor_type(upcast(x.dtype, y.dtype), pattern)()])

    def compute(self, xp: ArrayNamespace, x: Array, y: Array) -> Any:
        check_inner(x.shape, y.shape)
        return xp.asarray(xp.dot(*_common(xp, x, y)))

    def bind(self, node: Apply) -> Callable[..., Any]:
        dtypes = {v.type.numpy_dtype for v in (*node.inputs, *node.outputs)}
        if len(dtypes) > 1:
            out = node.outputs[0].type.numpy_dtype
            return lambda x, y: np.asarray(dot_or_say(x.astype(out), y.astype(out)))
        return lambda x, y: np.asarray(dot_or_say(x, y))

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        x, y = shapes
        return [tuple(x[:-1]) + tuple(y[1:])]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        x, y = inputs
        if all(is_batched):
            return [_batched_dot(x, y)]
        if is_batched[0] and x.ndim == 2:
            return [self(x, y)]
        left = (0, 1)[-node.inputs[0].type.ndim :]
        right = (1, 2)[: node.inputs[1].type.ndim]
        return Einsum([left, right], (*left[:-1], *right[1:])).batch_rule(node, inputs, is_batched)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, y), (g,) = inputs, output_grads
        cx, cy = conjugated(x), conjugated(y)
        if x.ndim == y.ndim == 1:
            gx, gy = g * cy, g * cx
        else:
            gx = _times_transposed(g, cy) if y.ndim == 2 else _pairs(g, cy)
            gy = _transposed_times(cx, g) if x.ndim == 2 else _pairs(cx, g)
        return [patternbroadcast(gx, x.broadcastable), patternbroadcast(gy, y.broadcastable)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return _product_rule(self, inputs, eval_points)

    def __str__(self) -> str:
        return "dot"


# NOTE: XLA copies a transposed matrix before it multiplies a vector, and recomputes the vector
# for each row of the product; with the vector on the other side no transpose is needed.
def _times_transposed(g: TensorVariable, y: TensorVariable) -> TensorVariable:
    """g y.T"""
    return _dot(y, g) if g.ndim == 1 else _dot(g, y.T)


def _transposed_times(x: TensorVariable, g: TensorVariable) -> TensorVariable:
    """x.T g"""
    return _dot(g, x) if g.ndim == 1 else _dot(x.T, g)


def check_inner(x: Sequence[int], y: Sequence[int]) -> None:
    """Raise the documented error if the lengths that are summed over differ."""
    if x[-1] == y[0]:
        return
    left = f"x has {x[-1]} cols (and {x[0]} rows)" if len(x) == 2 else f"x has {x[0]} elements"
    right = f"y has {y[0]} rows (and {y[1]} cols)" if len(y) == 2 else f"y has {y[0]} elements"
    raise ValueError(f"Shape mismatch: {left} but {right}; x.shape={tuple(x)}, y.shape={tuple(y)}")


def dot_or_say(x: np.ndarray, y: np.ndarray) -> Any:
    """Return ``np.dot(x, y)``; errors name the shapes."""
    try:
        return np.dot(x, y)
    except ValueError:
        check_inner(x.shape, y.shape)
        raise


class TensorDot(Op):
    """The sum of products over pairs of axes; the other axes of a come first, then those of b.

    With ``batch``, axis 0 of both is a shared batch axis, and axis 0 of the result.
    """

    __call__: TensorCall

    __props__ = ("axes_a", "axes_b", "batch")

    def __init__(self, axes_a: Sequence[int], axes_b: Sequence[int], batch: bool = False) -> None:
        self.axes_a = tuple(axes_a)
        self.axes_b = tuple(axes_b)
        self.batch = batch

    def _left(self, ndim_a: int, ndim_b: int) -> tuple[list[int], list[int]]:
        first = int(self.batch)
        free_a = [i for i in range(first, ndim_a) if i not in self.axes_a]
        free_b = [i for i in range(first, ndim_b) if i not in self.axes_b]
        return free_a, free_b

    def make_node(self, a: TensorLike, b: TensorLike) -> Apply:
        a, b = as_tensor_variable(a), as_tensor_variable(b)
        free_a, free_b = self._left(a.ndim, b.ndim)
        front = (a.broadcastable[0] or b.broadcastable[0],) if self.batch else ()
        pattern = (
            front
            + tuple(a.broadcastable[i] for i in free_a)
            + tuple(b.broadcastable[i] for i in free_b)
        )
        return Apply(self, [a, b], [tensor_type(upcast(a.dtype, b.dtype), pattern)()])

    def compute(self, xp: ArrayNamespace, a: Array, b: Array) -> Any:
        self._check(a.shape, b.shape)
        a, b = _common(xp, a, b)
        if not self.batch:
            return xp.asarray(xp.tensordot(a, b, (self.axes_a, self.axes_b)))
        free_a, free_b = self._left(a.ndim, b.ndim)
        n = a.shape[0]
        shape_a = [a.shape[i] for i in free_a]
        shape_b = [b.shape[i] for i in free_b]
        summed = math.prod(a.shape[i] for i in self.axes_a)
        a = xp.reshape(xp.transpose(a, (0, *free_a, *self.axes_a)), (n, math.prod(shape_a), summed))
        b = xp.reshape(xp.transpose(b, (0, *self.axes_b, *free_b)), (n, summed, math.prod(shape_b)))
        return xp.reshape(xp.matmul(a, b), (n, *shape_a, *shape_b))

    def _check(self, a: Sequence[int], b: Sequence[int]) -> None:
        pairs = [*zip(self.axes_a, self.axes_b, strict=True)]
        for i, j in [(0, 0), *pairs] if self.batch else pairs:
            if a[i] != b[j]:
                raise ValueError(
                    f"Shape mismatch: axis {i} of a has length {a[i]} but axis {j} of b has length "
                    f"{b[j]}; a.shape={tuple(a)}, b.shape={tuple(b)}"
                )

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        a, b = shapes
        free_a, free_b = self._left(len(a), len(b))
        front = (a[0],) if self.batch else ()
        return [front + tuple(a[i] for i in free_a) + tuple(b[i] for i in free_b)]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        if all(is_batched) and not self.batch:
            a, b = ([i + 1 for i in axes] for axes in (self.axes_a, self.axes_b))
            return [TensorDot(a, b, batch=True)(*inputs)]
        m, n = (v.type.ndim for v in node.inputs)
        free_a, free_b = self._left(m, n)
        # labels: the axes of a, then the free axes of b
        pairs = dict(zip(self.axes_b, self.axes_a, strict=True))
        right = [0 if self.batch and j == 0 else pairs.get(j, m + j) for j in range(n)]
        out = [*range(int(self.batch)), *free_a, *[m + j for j in free_b]]
        return Einsum([range(m), right], out).batch_rule(node, inputs, is_batched)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (a, b), (g,) = inputs, output_grads
        first = int(self.batch)
        free_a, free_b = self._left(a.ndim, b.ndim)
        contract = batched_tensordot if self.batch else tensordot
        of_a = list(range(first, first + len(free_a)))
        of_b = list(range(g.ndim - len(free_b), g.ndim))
        # tensordot returns the remaining axes of b (or a) in order: sort their partners likewise
        summed_a = [i for _, i in sorted(zip(self.axes_b, self.axes_a, strict=True))]
        summed_b = [j for _, j in sorted(zip(self.axes_a, self.axes_b, strict=True))]
        ga = contract(g, conjugated(b), [of_b, free_b])
        gb = contract(conjugated(a), g, [free_a, of_a])
        front = list(range(first))
        return [
            _in_order(ga, [*front, *free_a, *summed_a], a),
            _in_order(gb, [*front, *summed_b, *free_b], b),
        ]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return _product_rule(self, inputs, eval_points)


@documented_in("theano.tensor.blas")
class BatchedDot(Op):
    """One ``dot`` for each index of the first axes; each input holds matrices or vectors."""

    __call__: TensorCall

    __props__ = ()

    def make_node(self, a: TensorLike, b: TensorLike) -> Apply:
        a, b = as_tensor_variable(a), as_tensor_variable(b)
        for i, v in enumerate((a, b)):
            if v.ndim not in (2, 3):
                raise TypeError(
                    f"BatchedDot takes 2 or 3 dimensions, got {v.ndim} as input {i}: {v} of "
                    f"{v.type}; theano.tensor.batched_dot takes any number"
                )
        front = a.broadcastable[0] or b.broadcastable[0]
        pattern = (front, *a.broadcastable[1:-1], *b.broadcastable[2:])
        return Apply(self, [a, b], [tensor_type(upcast(a.dtype, b.dtype), pattern)()])

    def compute(self, xp: ArrayNamespace, a: Array, b: Array) -> Any:
        if a.shape[0] != b.shape[0]:
            # NOTE: matmul would broadcast a batch of one
            raise ValueError(
                f"Shape mismatch: a has a batch of {a.shape[0]} but b of {b.shape[0]}; "
                f"a.shape={tuple(a.shape)}, b.shape={tuple(b.shape)}"
            )
        check_inner(a.shape[1:], b.shape[1:])
        left, right = a.ndim, b.ndim
        a, b = _common(xp, a, b)
        result = xp.matmul(
            a if left == 3 else xp.expand_dims(a, 1), b if right == 3 else xp.expand_dims(b, 2)
        )
        gone = (1,) * (left == 2) + (2,) * (right == 2)
        return xp.squeeze(result, gone) if gone else result

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        a, b = shapes
        return [(*a[:-1], *b[2:])]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        left, right = (v.type.ndim == 3 for v in node.inputs)
        terms = [(0, 1, 2) if left else (0, 2), (0, 2, 3) if right else (0, 2)]
        out = (0, *(1,) * left, *(3,) * right)
        return Einsum(terms, out).batch_rule(node, inputs, is_batched)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (a, b), (g,) = inputs, output_grads
        ca, cb = conjugated(a), conjugated(b)
        if a.ndim == b.ndim == 2:
            each = dimshuffle(g, 0, "x")
            ga, gb = each * cb, each * ca
        else:
            ga = self(g, dimshuffle(cb, 0, 2, 1)) if b.ndim == 3 else _pairs(g, cb, 1)
            gb = self(dimshuffle(ca, 0, 2, 1), g) if a.ndim == 3 else _pairs(ca, g, 1)
        return [patternbroadcast(ga, a.broadcastable), patternbroadcast(gb, b.broadcastable)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return _product_rule(self, inputs, eval_points)


def _pairs(x: TensorVariable, y: TensorVariable, batch: int = 0) -> Any:
    """Outer product of two vectors, or, with ``batch`` 1, of each pair in a batch."""
    front = range(batch)
    return dimshuffle(x, *front, batch, "x") * dimshuffle(y, *front, "x", batch)


def _in_order(g: TensorVariable, axes: Sequence[int], like: TensorVariable) -> Any:
    """Transpose a gradient whose dimensions are these axes of ``like`` to the order of ``like``."""
    if sorted(axes) != list(axes):
        g = dimshuffle(g, *(axes.index(i) for i in range(len(axes))))
    return patternbroadcast(g, like.broadcastable)


def _product_rule(op: Op, inputs: Sequence[Any], eval_points: Sequence[Any]) -> list[Any]:
    """Forward derivative of an op that is linear in each of its two inputs."""
    (a, b), (da, db) = inputs, eval_points
    terms = [] if _still(da) else [op(da, b)]
    terms += [] if _still(db) else [op(a, db)]
    if not terms:
        return [None]
    pattern = op(a, b).broadcastable
    return [patternbroadcast(terms[0] if len(terms) == 1 else add(*terms), pattern)]


def _still(dx: Variable | None) -> bool:
    return dx is None or isinstance(dx.type, DisconnectedType)


_dot = Dot()
_batched_dot = BatchedDot()


@documented_in("theano.tensor.basic")
def dot(a: TensorLike, b: TensorLike) -> TensorVariable:
    """The inner product of two tensors, as in NumPy.

    Vectors and matrices are multiplied as usual; a scalar scales the other input. With more than
    two dimensions, the sum runs over the last axis of ``a`` and the second-to-last of ``b``.

    >>> import theano.tensor as T
    >>> T.dot([[1, 2], [3, 4]], [10, 1]).eval().tolist()
    [12, 34]
    """
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    if a.ndim == 0 or b.ndim == 0:
        return mul(a, b)
    if a.ndim > 2 or b.ndim > 2:
        return tensordot(a, b, [[a.ndim - 1], [max(0, b.ndim - 2)]])
    return _dot(a, b)


@documented_in("theano.tensor")
def matmul(a: TensorLike, b: TensorLike, dtype: DTypeLike = None) -> Any:
    """``a @ b``: ``dot`` up to two dimensions, otherwise products of broadcast batches of matrices.

    Parameters
    ----------
    a, b : tensors of at least one dimension
        The last two dimensions are matrices, the others a batch. A vector is treated as a row on
        the left and a column on the right, and that dimension is removed from the result. Batch
        dimensions broadcast where their type is broadcastable.
    dtype : str, optional
        The dtype to compute in; by default the common dtype of ``a`` and ``b``.

    >>> import theano.tensor as T
    >>> T.matmul([[1, 2], [3, 4]], [10, 1]).eval().tolist()
    [12, 34]
    >>> (T.ones((5, 1, 2, 3)) @ T.ones((7, 3, 4))).eval().shape
    (5, 7, 2, 4)
    """
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    if dtype is not None:
        a, b = cast(a, dtype), cast(b, dtype)
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError(
            f"@ takes at least one dimension, got {a} of {a.type} and {b} of {b.type}; * scales"
        )
    if a.ndim <= 2 and b.ndim <= 2:
        return _dot(a, b)
    if b.ndim <= 2:
        return tensordot(a, b, [[a.ndim - 1], [0]])
    if a.ndim == b.ndim == 3 and a.broadcastable[0] == b.broadcastable[0]:
        return _batched_dot(a, b)
    # a batch dimension is labelled by its distance from the matrix dimensions
    left = [*range(a.ndim - 2, 0, -1), *(["row"] if a.ndim > 1 else []), "sum"]
    right = [*range(b.ndim - 2, 0, -1), "sum", "column"]
    batch = range(max(a.ndim, b.ndim) - 2, 0, -1)
    out = [*batch, *(["row"] if a.ndim > 1 else []), "column"]
    return labelled_product([a, b], [left, right], out)


@documented_in("theano")
def any_dot(l: TensorLike, r: TensorLike) -> Any:
    """``theano.dot(l, r)``: the inner product, also of types that define ``__dot__``.

    >>> import theano, theano.tensor as T
    >>> float(theano.dot(T.constant([1.0, 2.0]), [3.0, 4.0]).eval())
    11.0
    """
    for own, name, other in ((l, "__dot__", r), (r, "__rdot__", l)):
        method = getattr(own, name, None)
        if method is None:
            continue
        try:
            result = method(other)
        except AsTensorError:
            continue  # the other operand may define the product
        if result is not NotImplemented:
            return result
    return dot(l, r)


def _axis_list(who: str, name: str, axes: int | Sequence[int], ndim: int, batch: bool) -> list[int]:
    given = [axes] if isinstance(axes, (int, np.integer)) else list(axes)
    result = []
    for axis in given:
        if isinstance(axis, bool) or not isinstance(axis, (int, np.integer)):
            raise TypeError(f"{who} takes axes as integers, got {axis!r} for {name}")
        if not -ndim <= axis < ndim:
            raise ValueError(
                f"{who} takes axes that {name} has: axes contains {int(axis)}, which is greater "
                f"than or equal to {name}.ndim={ndim}"
                if axis >= 0
                else f"{who} takes axes that {name} has, got {int(axis)} with {name}.ndim={ndim}"
            )
        result.append(int(axis) % ndim)
    if batch and 0 in result:
        raise ValueError(
            f"{who}: axes to sum over must not contain the batch axis, got {given} for {name}"
        )
    if len(set(result)) != len(result):
        raise ValueError(f"{who} takes each axis once, got {given} for {name}")
    return result


def _axes(
    who: str, a: TensorVariable, b: TensorVariable, axes: Any, batch: bool
) -> tuple[list[int], list[int]]:
    """Return the axes of a and of b to sum over, from an integer or a pair of lists."""
    first = int(batch)
    if isinstance(axes, float) and axes.is_integer():
        axes = int(axes)
    if isinstance(axes, (int, np.integer)) and not isinstance(axes, bool):
        count = int(axes)
        for name, v in (("a", a), ("b", b)):
            if count < 0 or count > v.ndim - first:
                what = " including the batch axis" if batch else ""
                raise ValueError(
                    f"{who}: axes can not be larger than the dimension of {name}{what} "
                    f"({name}.ndim={v.ndim}, axes={count}) nor negative; give fewer axes"
                )
        return list(range(a.ndim - count, a.ndim)), list(range(first, first + count))
    try:
        pair = list(axes)
    except TypeError:
        raise TypeError(f"{who} takes axes as an integer or two lists, got {axes!r}") from None
    if len(pair) != 2 or isinstance(axes, str):
        raise ValueError(f"{who}: axes should be an integer or a list/tuple of len 2, got {axes!r}")
    axes_a = _axis_list(who, "a", pair[0], a.ndim, batch)
    axes_b = _axis_list(who, "b", pair[1], b.ndim, batch)
    if len(axes_a) != len(axes_b):
        raise ValueError(f"{who}: axes elements must have the same length, got {axes!r}")
    return axes_a, axes_b


@documented_in("theano.tensor.basic")
def tensordot(a: TensorLike, b: TensorLike, axes: Axes = 2) -> TensorVariable:
    """The sum of products over chosen axes, as in NumPy.

    Parameters
    ----------
    a, b : tensors
    axes : int or pair of lists
        An integer i sums over the last i axes of ``a`` and the first i of ``b``; 0 is the outer
        product. Two lists pair axes of ``a`` with axes of ``b``.

    >>> import theano.tensor as T
    >>> a, b = T.ones((2, 3, 4)), T.ones((4, 3, 5))
    >>> T.tensordot(a, b, axes=[[1, 2], [1, 0]]).eval().shape
    (2, 5)
    """
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    axes_a, axes_b = _axes("tensordot", a, b, axes, batch=False)
    if a.ndim == 0 or b.ndim == 0:
        return mul(a, b)
    if a.ndim <= 2 and b.ndim <= 2 and axes_a == [a.ndim - 1] and axes_b == [0]:
        return _dot(a, b)
    return TensorDot(axes_a, axes_b)(a, b)


@documented_in("theano.tensor.basic")
def outer(x: TensorLike, y: TensorLike) -> TensorVariable:
    """The outer product of the vectors ``x`` and ``y``, as a matrix.

    Tensors with another number of dimensions are flattened.

    >>> import theano.tensor as T
    >>> T.outer([1, 2], [3, 4, 5]).eval().tolist()
    [[3, 4, 5], [6, 8, 10]]
    """
    x, y = (v if v.ndim == 1 else _as_vector(v) for v in map(as_tensor_variable, (x, y)))
    return _dot(dimshuffle(x, 0, "x"), dimshuffle(y, "x", 0))


def _as_vector(v: TensorVariable) -> Any:
    return dimshuffle(v, "x") if v.ndim == 0 else flatten(v, 1)


@documented_in("theano.tensor.basic")
def batched_dot(a: TensorLike, b: TensorLike) -> TensorVariable:
    """``dot(a[i], b[i])`` for each index i of the first axes, which have the same length.

    >>> import theano.tensor as T
    >>> T.batched_dot(T.ones((7, 2, 3)), T.ones((7, 3, 4))).eval().shape
    (7, 2, 4)
    """
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    for name, v in (("a", a), ("b", b)):
        if v.ndim == 0:
            raise TypeError(f"batched_dot: {name} must have at least one (batch) axis, got {v}")
    if a.ndim == 1:
        return mul(dimshuffle(a, 0, *("x",) * (b.ndim - 1)), b)
    if b.ndim == 1:
        return mul(a, dimshuffle(b, 0, *("x",) * (a.ndim - 1)))
    if a.ndim > 3 or b.ndim > 3:
        return batched_tensordot(a, b, [[a.ndim - 1], [max(1, b.ndim - 2)]])
    return _batched_dot(a, b)


@documented_in("theano.tensor.basic")
def batched_tensordot(x: TensorLike, y: TensorLike, axes: Axes = 2) -> TensorVariable:
    """``tensordot(x[i], y[i])`` for each index i of the first axes, which have the same length.

    Parameters
    ----------
    x, y : tensors
    axes : int or pair of lists
        An integer i sums over the last i axes of ``x`` and the first i of ``y`` after the batch
        axis. Two lists pair axes of ``x`` and ``y``, without axis 0, which is the batch axis.

    >>> import theano.tensor as T
    >>> x, y = T.ones((7, 2, 3, 4)), T.ones((7, 5, 3))
    >>> T.batched_tensordot(x, y, axes=[[2], [2]]).eval().shape
    (7, 2, 4, 5)
    """
    x, y = as_tensor_variable(x), as_tensor_variable(y)
    for v in (x, y):
        if v.ndim == 0:
            raise TypeError(f"batched_tensordot takes a batch axis in both inputs, got {v}")
    axes_x, axes_y = _axes("batched_tensordot", x, y, axes, batch=True)
    if x.ndim in (2, 3) and y.ndim in (2, 3) and axes_x == [x.ndim - 1] and axes_y == [1]:
        return _batched_dot(x, y)
    return TensorDot(axes_x, axes_y, batch=True)(x, y)
