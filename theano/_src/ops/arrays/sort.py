"""Sorting, the k largest elements, and searching in sorted vectors."""

from __future__ import annotations

import copy
import operator
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.core.elemwise import zero_gradient
from theano._src.ops.elementwise.arithmetic import abs_
from theano._src.ops.elementwise.compare import eq
from theano._src.ops.elementwise.rounding import trunc
from theano._src.ops.index.index import inc_subtensor
from theano._src.ops.meta.misc import Assert
from theano._src.ops.shape.dims import dimshuffle, patternbroadcast
from theano._src.ops.shape.ranges import arange
from theano._src.ops.shape.shape import flatten, shape_i_op
from theano._src.ops.shape.static_values import as_length, known_int
from theano._src.types.aliases import IntLike, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import float_dtypes, integer_dtypes
from theano._src.types.null import DisconnectedType, disconnected, grad_not_implemented
from theano._src.types.tensor import TensorCall, TensorVariable, tensor_type

#: a dimension, or None for the flattened tensor
OneAxis: TypeAlias = int | None
#: names of fields to sort by, which tensors do not have
Order: TypeAlias = str | Sequence[str] | None

_KINDS = ("quicksort", "mergesort", "heapsort", "stable")


def _check_axis(who: str, x: TensorVariable | Array, axis: int) -> None:
    if not -x.ndim <= axis < x.ndim:
        have = f"from {-x.ndim} to {x.ndim - 1}" if x.ndim else "of none (it is 0-d)"
        kind = getattr(x, "type", None)
        shown = f"of type {kind}" if kind is not None else f"of shape {x.shape}"
        raise ValueError(
            f"{who} takes an axis {have} for an input {shown}, got {axis}; "
            "axis=None flattens the input first"
        )


def _along(x: TensorVariable, places: Variable, axis: int) -> Any:
    """``x`` at ``places`` along ``axis``, as ``take_along_axis``."""
    grid = [dimshuffle(arange(shape_i_op(i)(x)), *_only(i, x.ndim)) for i in range(x.ndim)]
    index: list[Variable] = [*grid]
    index[axis] = places
    return x[tuple(index)]


def _only(i: int, ndim: int) -> list[Any]:
    return [0 if d == i else "x" for d in range(ndim)]


class _AlongAxis(Op):
    """An op on 1-d slices of ``x`` along ``axis``, an integer scalar and its second input."""

    __call__: TensorCall

    demand_only = (1,)
    shape_like = 0
    nondiff_inputs = (1,)

    def __init__(self, kind: str = "quicksort", order: Order = None) -> None:
        if kind is None:
            kind = "quicksort"
        if kind not in _KINDS:
            raise ValueError(
                f"{type(self).__name__} takes a kind of {', '.join(_KINDS)}, got {kind!r}"
            )
        # an empty list of fields means none
        order = order if not isinstance(order, (list, tuple)) or order else None
        if order is not None:
            raise ValueError(
                f"{type(self).__name__} takes order=None: tensors have no fields to order by, "
                f"got {order!r}"
            )
        self.kind = kind
        self.order = order

    def make_node(self, x: TensorLike, axis: TensorLike = -1) -> Apply:
        x, at = as_tensor_variable(x), as_tensor_variable(axis)
        if at.ndim == 0 and at.dtype in float_dtypes and not isinstance(at, Constant):
            # only known to be a whole number at run time
            whole = eq(at, trunc(at))
            at = cast(Assert(f"{self} takes an integer as axis")(at, whole), "int64")
        if at.ndim != 0 or at.dtype not in integer_dtypes:
            raise TypeError(f"{self} takes an integer as axis, got {at} of type {at.type}")
        if isinstance(at, Constant):
            _check_axis(type(self).__name__, x, int(at.data))
        return Apply(self, [x, at], [tensor_type(self._out_dtype(x.dtype), x.broadcastable)()])

    def _out_dtype(self, dtype: str) -> str:
        return dtype

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return [as_length(node.inputs[1])]

    def compute(self, xp: ArrayNamespace, x: Array, axis: Array) -> Any:
        return self._checked(xp, x, int(axis))

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array, axis: Array) -> Any:
        return self._checked(xp, x, sizes[0])

    def _checked(self, xp: ArrayNamespace, x: Array, axis: int) -> Any:
        _check_axis(type(self).__name__, x, axis)
        return self._along(xp, x, axis)

    def _along(self, xp: ArrayNamespace, x: Array, axis: int) -> Any:
        raise NotImplementedError

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        x, axis = inputs
        at = None if is_batched[1] else known_int(axis)
        return None if at is None else [self(x, at % (x.ndim - 1) + 1)]

    @property
    def name(self) -> str:
        """The printed form, such as ``SortOp{quicksort, None}``."""
        return f"{type(self).__name__}{{{self.kind}, {self.order}}}"


@documented_in("theano.tensor.sort")
class SortOp(_AlongAxis):
    """1-d slices along an axis, each sorted in ascending order; NaN comes last."""

    __props__ = ("kind", "order")
    batch_rule = _AlongAxis.batch_rule

    def _along(self, xp: ArrayNamespace, x: Array, axis: int) -> Any:
        return xp.sort(x, axis=axis)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, axis), (g,) = inputs, output_grads
        at = 0 if x.ndim == 1 else known_int(axis)
        if at is None:
            why = "The axis of a sort is a constant where it is differentiated."
            return [grad_not_implemented(self, 0, x, why), disconnected()]
        # the position of each element in the sorted slice
        places = argsort(argsort(x, at), at)
        return [patternbroadcast(_along(g, places, at), x.broadcastable), disconnected()]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x, axis), (dx, _) = inputs, eval_points
        at = 0 if x.ndim == 1 else known_int(axis)
        if dx is None:
            return [None]
        if at is None:
            raise NotImplementedError(f"{self} takes a constant axis where it is differentiated")
        return [patternbroadcast(_along(dx, argsort(x, at), at), x.broadcastable)]


@documented_in("theano.tensor.sort")
class ArgSortOp(_AlongAxis):
    """The positions that would sort each 1-d slice along an axis; equal elements keep their order.

    Every ``kind`` is stable here, so that both engines return the same positions.
    """

    __props__ = ("kind", "order")
    batch_rule = _AlongAxis.batch_rule

    def _out_dtype(self, dtype: str) -> str:
        return "int64"

    def _along(self, xp: ArrayNamespace, x: Array, axis: int) -> Any:
        return xp.astype(xp.argsort(x, axis=axis, stable=True), np.dtype("int64"))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [zero_gradient(inputs[0]), disconnected()]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return [None]


@documented_in("theano.tensor.sort")
def sort(
    a: TensorLike, axis: IntLike | None = -1, kind: str = "quicksort", order: Order = None
) -> TensorVariable:
    """A sorted copy of a tensor, in ascending order; NaN comes last.

    Parameters
    ----------
    a : tensor or array
    axis : int or integer scalar, optional
        The dimension to sort along; None sorts the flattened tensor.
    kind : {'quicksort', 'mergesort', 'heapsort', 'stable'}
        Accepted for NumPy's signature; it does not affect the result.
    order : None
        Must be None: tensors have no fields to order by.

    >>> import theano.tensor as T
    >>> T.sort([[3, 1], [0, 2]]).eval().tolist()
    [[1, 3], [0, 2]]
    >>> T.sort([[3, 1], [0, 2]], axis=None).eval().tolist()
    [0, 1, 2, 3]
    """
    if axis is None:
        a, axis = flatten(a), 0
    return SortOp(kind, order)(a, axis)


@documented_in("theano.tensor.sort")
def argsort(
    a: TensorLike, axis: IntLike | None = -1, kind: str = "quicksort", order: Order = None
) -> TensorVariable:
    """The positions that would sort a tensor, as int64; equal elements keep their order.

    Arguments as for ``sort``.

    >>> import theano.tensor as T
    >>> T.argsort([30, 10, 20]).eval().tolist()
    [1, 2, 0]
    """
    if axis is None:
        a, axis = flatten(a), 0
    return ArgSortOp(kind, order)(a, axis)


@documented_in("theano.tensor.sort")
class TopKOp(Op):
    """The k largest elements along an axis, or the -k smallest; values, positions, or both.

    They are in descending order, with or without ``sorted``; equal elements keep their order.
    NaN counts as the largest.
    """

    __props__ = ("axis", "sorted", "return_values", "return_indices", "idx_dtype")
    demand_only = (1,)
    nondiff_inputs = (1,)

    def __init__(
        self,
        axis: int = -1,
        sorted: bool = True,
        idx_dtype: str = "int64",
        return_values: bool = True,
        return_indices: bool = True,
    ) -> None:
        try:
            self.axis = operator.index(axis)
        except TypeError:
            raise TypeError(f"TopKOp takes an int as axis, got {axis!r}") from None
        if idx_dtype not in integer_dtypes:
            raise TypeError(f"TopKOp takes an integer dtype as idx_dtype, got {idx_dtype!r}")
        if not (return_values or return_indices):
            raise ValueError("TopKOp returns values, indices or both, got neither")
        self.sorted = bool(sorted)
        self.idx_dtype = str(idx_dtype)
        self.return_values = bool(return_values)
        self.return_indices = bool(return_indices)

    def make_node(self, x: TensorLike, kth: TensorLike) -> Apply:
        x, kth = as_tensor_variable(x), as_tensor_variable(kth)
        if x.ndim == 0:
            raise ValueError(f"{self} takes at least one dimension, got the scalar {x}")
        if not -x.ndim <= self.axis < x.ndim:
            raise IndexError(
                f"{self} takes an axis from {-x.ndim} to {x.ndim - 1} for {x} of type {x.type}, "
                f"got {self.axis}"
            )
        if kth.ndim != 0 or kth.dtype not in integer_dtypes:
            raise TypeError(f"{self} takes an integer as kth, got {kth} of type {kth.type}")
        if isinstance(kth, Constant) and int(kth.data) == 0:
            raise ValueError(f"{self} takes a kth other than 0, got 0")
        at = self.axis % x.ndim
        pattern = tuple(b and i != at for i, b in enumerate(x.broadcastable))
        dtypes = [x.dtype] * self.return_values + [self.idx_dtype] * self.return_indices
        return Apply(self, [x, kth], [tensor_type(d, pattern)() for d in dtypes])

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return [as_length(node.inputs[1])]

    def compute(self, xp: ArrayNamespace, x: Array, kth: Array) -> Any:
        return self._largest(xp, x, int(kth))

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array, kth: Array) -> Any:
        return self._largest(xp, x, sizes[0])

    def _largest(self, xp: ArrayNamespace, x: Array, kth: int) -> Any:
        axis, n = self.axis % x.ndim, x.shape[self.axis]
        if not 1 <= abs(kth) <= n:
            raise ValueError(
                f"{self} takes a kth from 1 to {n}, or from -{n} to -1, along a dimension of "
                f"length {n}, got {kth}"
            )
        # sort the reversed slice, so that the first of equal elements comes first
        at = n - 1 - xp.flip(xp.argsort(xp.flip(x, axis), axis=axis, stable=True), axis)
        chosen = slice(None, kth) if kth > 0 else slice(n + kth, None)
        at = at[(slice(None),) * axis + (chosen,)]
        results = []
        if self.return_values:
            results.append(xp.take_along_axis(x, at, axis=axis))
        if self.return_indices:
            results.append(xp.astype(at, np.dtype(self.idx_dtype)))
        return results[0] if len(results) == 1 else tuple(results)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        shape = list(shapes[0])
        shape[self.axis] = abs_(as_length(node.inputs[1]))
        return [tuple(shape)] * len(node.outputs)

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        x, kth = inputs
        if is_batched[1]:
            return None
        op = copy.copy(self)
        op.axis = self.axis % (x.ndim - 1) + 1
        return op(x, kth, return_list=True)  # type: ignore[no-any-return]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        x, k = inputs
        g = output_grads[0]
        if not self.return_values or isinstance(g.type, DisconnectedType):
            return [zero_gradient(x), disconnected()]
        places = outputs[1] if self.return_indices else self._places(x, k)
        part = _along(x.zeros_like(dtype=g.dtype), places, self.axis)
        return [inc_subtensor(part, g), disconnected()]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x, k), (dx, _) = inputs, eval_points
        values = [None if dx is None else _along(dx, self._places(x, k), self.axis)]
        return values * self.return_values + [None] * self.return_indices

    def _places(self, x: Variable, k: Variable) -> Any:
        return TopKOp(self.axis, self.sorted, return_values=False)(x, k)

    @property
    def name(self) -> str:
        """The printed form, such as ``TopKOp{axis=-1, sorted=True}``."""
        return f"TopKOp{{axis={self.axis}, sorted={self.sorted}}}"


def _top(
    x: TensorLike, kth: IntLike, axis: OneAxis, sorted: bool, idx_dtype: str, **wanted: bool
) -> Any:
    if axis is None:
        x, axis = flatten(x), 0
    return TopKOp(axis, sorted, idx_dtype, **wanted)(x, kth)


@documented_in("theano.tensor.sort")
def topk(
    x: TensorLike, kth: IntLike, axis: OneAxis = -1, sorted: bool = True, idx_dtype: str = "int64"
) -> Any:
    """The k largest elements along an axis, in descending order.

    Parameters
    ----------
    x : tensor or array
    kth : int or integer scalar
        The number of elements; if negative, the ``-kth`` smallest are returned. It must not be 0
        nor exceed the length in absolute value.
    axis : int, optional
        The dimension; None uses the flattened tensor.
    sorted : bool
        Accepted and ignored: the result is always in descending order.
    idx_dtype : str
        The dtype of positions, if they are returned.

    >>> import theano.tensor as T
    >>> T.topk([3, 1, 5, 4], 2).eval().tolist(), T.topk([3, 1, 5, 4], -2).eval().tolist()
    ([5, 4], [3, 1])
    """
    return _top(x, kth, axis, sorted, idx_dtype, return_values=True, return_indices=False)


@documented_in("theano.tensor.sort")
def argtopk(
    x: TensorLike, kth: IntLike, axis: OneAxis = -1, sorted: bool = True, idx_dtype: str = "int64"
) -> Any:
    """The positions of the k largest elements along an axis; arguments as for ``topk``.

    >>> import theano.tensor as T
    >>> T.argtopk([3, 1, 5, 4], 2).eval().tolist()
    [2, 3]
    """
    return _top(x, kth, axis, sorted, idx_dtype, return_values=False, return_indices=True)


@documented_in("theano.tensor.sort")
def topk_and_argtopk(
    x: TensorLike, kth: IntLike, axis: OneAxis = -1, sorted: bool = True, idx_dtype: str = "int64"
) -> list[Any]:
    """The k largest elements along an axis, and their positions; arguments as for ``topk``.

    >>> import theano.tensor as T
    >>> [v.eval().tolist() for v in T.topk_and_argtopk([3, 1, 5, 4], 2)]
    [[5, 4], [2, 3]]
    """
    result = _top(x, kth, axis, sorted, idx_dtype, return_values=True, return_indices=True)
    return list(result)
