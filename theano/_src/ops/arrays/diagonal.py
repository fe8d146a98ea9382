"""Diagonals: extracting, building and filling them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.elementwise.arithmetic import add, maximum, minimum
from theano._src.ops.elementwise.compare import eq, switch
from theano._src.ops.index.index import getitem, inc_subtensor
from theano._src.ops.index.index_grad import written_forward, zero_like
from theano._src.ops.index.index_list import FULL
from theano._src.ops.index.slices import int64
from theano._src.ops.reduce.careduce import sum as sum_
from theano._src.ops.shape.alloc import alloc, lengths_of
from theano._src.ops.shape.dims import dimshuffle, patternbroadcast
from theano._src.ops.shape.ranges import arange
from theano._src.ops.shape.shape import shape_i
from theano._src.types.aliases import IntLike, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import integer_dtypes, upcast
from theano._src.types.null import grad_undefined
from theano._src.types.tensor import TensorCall, TensorVariable, tensor_type


def _two_axes(who: Op, axis1: int, axis2: int, ndim: int) -> tuple[int, int]:
    for axis in (axis1, axis2):
        if not -ndim <= axis < ndim:
            raise ValueError(f"{who} takes dimensions of its {ndim}, got axis {axis}")
    first, second = axis1 % ndim, axis2 % ndim
    if first == second:
        raise ValueError(f"{who} takes two different dimensions, got axis {first} twice")
    return first, second


@documented_in("theano.tensor.basic")
class ExtractDiag(Op):
    """The diagonal of two dimensions: the second index is the first plus ``offset``.

    These two dimensions are removed; the diagonal is the last dimension of the result.

    >>> import theano.tensor as T
    >>> T.extract_diag([[1, 2], [3, 4]]).eval()
    array([1, 4])
    """

    __call__: TensorCall

    __props__ = ("offset", "axis1", "axis2", "view")
    linear_in = (0,)

    def __init__(self, offset: int = 0, axis1: int = 0, axis2: int = 1, view: bool = False) -> None:
        self.offset = int(offset)
        self.axis1, self.axis2 = int(axis1), int(axis2)
        self.view = bool(view)
        self.view_map = {0: [0]} if view else {}

    def make_node(self, x: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        if x.ndim < 2:
            raise ValueError(f"ExtractDiag needs an input with 2 or more dimensions, got {x}")
        gone = _two_axes(self, self.axis1, self.axis2, x.ndim)
        kept = tuple(b for i, b in enumerate(x.broadcastable) if i not in gone)
        return Apply(self, [x], [tensor_type(x.dtype, (*kept, False))()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        result = xp.diagonal(x, self.offset, self.axis1, self.axis2)
        return result if self.view else xp.array(result)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        (shape,) = shapes
        gone = _two_axes(self, self.axis1, self.axis2, len(shape))
        n, m = (shape[axis] for axis in gone)
        k = int64(-abs(self.offset))
        if self.offset > 0:
            m = add(m, k)
        elif self.offset < 0:
            n = add(n, k)
        length = maximum(minimum(n, m), int64(0)) if self.offset else minimum(n, m)
        return [(*(s for i, s in enumerate(shape) if i not in gone), length)]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        (x,) = inputs
        one, two = _two_axes(self, self.axis1, self.axis2, x.ndim - 1)
        return [ExtractDiag(self.offset, one + 1, two + 1, self.view)(x)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (g,) = inputs, output_grads
        one, two = _two_axes(self, self.axis1, self.axis2, x.ndim)
        order = [d for d in range(x.ndim) if d not in (one, two)] + [one, two]
        zeros = alloc(zero_like(g), *[shape_i(x, d) for d in order])
        at = arange(shape_i(g, g.ndim - 1))
        rows, cols = at + max(-self.offset, 0), at + max(self.offset, 0)
        result = inc_subtensor(getitem(zeros, (*[FULL] * (x.ndim - 2), rows, cols)), g)
        back = dimshuffle(result, *[order.index(d) for d in range(x.ndim)])
        return [patternbroadcast(back, x.broadcastable)]


@documented_in("theano.tensor.basic")
class AllocDiag(Op):
    """Zeros with the last dimension of the input on a diagonal of two new dimensions.

    >>> import theano.tensor as T
    >>> T.alloc_diag([1, 2]).eval()
    array([[1, 0],
           [0, 2]])
    """

    __call__: TensorCall

    __props__ = ("offset", "axis1", "axis2")
    linear_in = (0,)

    def __init__(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> None:
        self.offset = int(offset)
        self.axis1, self.axis2 = int(axis1), int(axis2)

    def make_node(self, diag: TensorLike) -> Apply:
        diag = as_tensor_variable(diag)
        if diag.ndim < 1:
            raise ValueError(f"AllocDiag needs an input with 1 or more dimensions, got {diag}")
        where = _two_axes(self, self.axis1, self.axis2, diag.ndim + 1)
        pattern = list(diag.broadcastable[:-1])
        for axis in sorted(where):
            pattern.insert(axis, False)
        return Apply(self, [diag], [tensor_type(diag.dtype, tuple(pattern))()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        n, k = x.shape[-1], abs(self.offset)
        at = xp.arange(n)
        rows, cols = (at, at + k) if self.offset >= 0 else (at + k, at)
        out = xp.zeros((*x.shape[:-1], n + k, n + k), x.dtype)
        out = xp.index_set(out, (Ellipsis, rows, cols), x)
        return xp.moveaxis(out, (-2, -1), (self.axis1, self.axis2))

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        (shape,) = shapes
        side = add(shape[-1], int64(abs(self.offset))) if self.offset else shape[-1]
        out = list(shape[:-1])
        for axis in sorted(_two_axes(self, self.axis1, self.axis2, len(shape) + 1)):
            out.insert(axis, side)
        return [tuple(out)]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        (x,) = inputs
        one, two = _two_axes(self, self.axis1, self.axis2, x.ndim)
        return [AllocDiag(self.offset, one + 1, two + 1)(x)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (g,) = inputs, output_grads
        return [patternbroadcast(diagonal(g, self.offset, self.axis1, self.axis2), x.broadcastable)]


extract_diag = ExtractDiag()
alloc_diag = AllocDiag()


@documented_in("theano.tensor.basic")
def diagonal(a: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> TensorVariable:
    """The diagonal of two dimensions, as the last dimension of the result.

    Parameters
    ----------
    a : tensor of two or more dimensions
    offset : int
        Above the main diagonal if positive, below if negative.
    axis1, axis2 : int

    >>> import theano.tensor as T
    >>> T.diagonal(T.constant([[1, 2], [3, 4]])).eval().tolist()
    [1, 4]
    """
    return ExtractDiag(offset, axis1, axis2)(a)


@documented_in("theano.tensor.basic")
def diag(v: TensorLike, k: int = 0) -> TensorVariable:
    """A matrix with the vector ``v`` on its ``k``-th diagonal, or that diagonal of a tensor.

    >>> import theano.tensor as T
    >>> T.diag(T.constant([1, 2])).eval().tolist()
    [[1, 0], [0, 2]]
    """
    v = as_tensor_variable(v)
    if v.ndim == 0:
        raise ValueError(f"diag takes a vector, or a tensor of more dimensions, got {v}, a scalar")
    return AllocDiag(k)(v) if v.ndim == 1 else diagonal(v, k)


@documented_in("theano.tensor.nlinalg")
def trace(X: TensorLike) -> Any:
    """The sum of the diagonal of ``X``.

    >>> import theano.tensor as T
    >>> T.nlinalg.trace(T.constant([[1.0, 2.0], [3.0, 4.0]])).eval().item()
    5.0
    """
    return sum_(diagonal(X), axis=-1)


def _fitting(op: Op, a: TensorVariable, val: TensorVariable) -> TensorVariable:
    """Cast ``val`` to the dtype of ``a``; raise TypeError if it is not a scalar or too wide."""
    if val.ndim != 0:
        raise TypeError(f"{op}: second parameter must be a scalar, got {val} of {val.type}")
    if upcast(a.dtype, val.dtype) != a.dtype:
        raise TypeError(
            f"{op}: type of second parameter must be the same as the first's: {a.dtype} cannot "
            f"hold {val.dtype}; cast it first"
        )
    return val if val.dtype == a.dtype else cast(val, a.dtype)


@documented_in("theano.tensor.extra_ops")
class FillDiagonal(Op):
    """A copy of ``a`` with ``val`` on its main diagonal, ``a[i, i, ..., i]``.

    >>> import theano.tensor as T
    >>> T.fill_diagonal_(T.zeros((2, 2)), 7).eval()
    array([[7., 0.],
           [0., 7.]])
    """

    __call__: TensorCall

    __props__ = ()
    shape_like = 0

    def make_node(self, a: TensorLike, val: TensorLike) -> Apply:
        a, val = as_tensor_variable(a), as_tensor_variable(val)
        if a.ndim < 2:
            raise TypeError(
                f"{self}: first parameter must have at least two dimensions, got {a} of {a.type}"
            )
        return Apply(self, [a, _fitting(self, a, val)], [a.type()])

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        _square(inputs[0].shape)

    def compute(self, xp: ArrayNamespace, a: Array, val: Array) -> Any:
        _square(a.shape)
        at = xp.arange(min(a.shape))
        return xp.index_set(a, (at,) * a.ndim, val)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (a, _), (g,) = inputs, output_grads
        n, *others = lengths_of(a)
        for m in others:
            n = minimum(n, m)
        return [self(g, zero_like(g)), sum_(getitem(g, (arange(n),) * a.ndim))]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return written_forward(self, inputs, eval_points)


def _square(shape: Sequence[int]) -> None:
    if len(shape) > 2 and len(set(shape)) > 1:
        raise ValueError(
            f"All dimensions of input must be of equal length for fill_diagonal, got {shape}"
        )


@documented_in("theano.tensor.extra_ops")
class FillDiagonalOffset(Op):
    """A copy of a matrix with ``val`` wherever the column is the row plus ``offset``.

    >>> import theano.tensor as T
    >>> T.fill_diagonal_offset_(T.zeros((2, 3)), 7, 1).eval()
    array([[0., 7., 0.],
           [0., 0., 7.]])
    """

    __call__: TensorCall

    __props__ = ()
    shape_like = 0

    def make_node(self, a: TensorLike, val: TensorLike, offset: TensorLike) -> Apply:
        a, val = as_tensor_variable(a), as_tensor_variable(val)
        offset = as_tensor_variable(offset)
        if a.ndim != 2:
            raise TypeError(
                f"{self}: first parameter must have exactly two dimensions, got {a} of {a.type}"
            )
        if offset.ndim != 0:
            raise TypeError(f"{self}: third parameter must be a scalar, got {offset.type}")
        if offset.dtype not in integer_dtypes:
            raise TypeError(
                f"{self}: type of third parameter must be integer, got {offset.dtype}; use "
                "theano.tensor.cast(input, 'int64')"
            )
        return Apply(self, [a, _fitting(self, a, val), offset], [a.type()])

    def compute(self, xp: ArrayNamespace, a: Array, val: Array, offset: Array) -> Any:
        rows = xp.arange(a.shape[0], dtype="int64")[:, None]
        cols = xp.arange(a.shape[1], dtype="int64")[None, :]
        return xp.where(rows + xp.astype(xp.asarray(offset), "int64") == cols, val, a)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (a, _, offset), (g,) = inputs, output_grads
        rows, cols = (arange(n) for n in lengths_of(a))
        there = eq(dimshuffle(rows, 0, "x") + offset, dimshuffle(cols, "x", 0))
        why = "an offset is an integer"
        gval = sum_(switch(there, g, zero_like(g)))
        return [self(g, zero_like(g), offset), gval, grad_undefined(self, 2, offset, why)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return written_forward(self, inputs, eval_points)


fill_diagonal_ = FillDiagonal()
fill_diagonal_offset_ = FillDiagonalOffset()


@documented_in("theano.tensor.extra_ops")
def fill_diagonal(a: TensorLike, val: TensorLike) -> TensorVariable:
    """A copy of ``a`` with ``val`` on its main diagonal.

    Parameters
    ----------
    a : tensor of two or more dimensions
        A matrix may be rectangular; with more dimensions all must have the same length.
    val : scalar
        Its dtype must not be wider than that of ``a``.

    >>> import theano.tensor as T
    >>> T.extra_ops.fill_diagonal(T.zeros((2, 3)), 7).eval().tolist()
    [[7.0, 0.0, 0.0], [0.0, 7.0, 0.0]]
    """
    return fill_diagonal_(a, val)


@documented_in("theano.tensor.extra_ops")
def fill_diagonal_offset(a: TensorLike, val: TensorLike, offset: IntLike) -> TensorVariable:
    """A copy of the matrix ``a`` with ``val`` on the diagonal ``offset`` above the main one.

    It does not wrap around in tall matrices.

    >>> import theano.tensor as T
    >>> T.extra_ops.fill_diagonal_offset(T.zeros((2, 3)), 7, 1).eval().tolist()
    [[0.0, 7.0, 0.0], [0.0, 0.0, 7.0]]
    """
    return fill_diagonal_offset_(a, val, offset)
