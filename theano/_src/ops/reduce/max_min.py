"""The largest and smallest elements over dimensions, and their positions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.elemwise import zero_gradient
from theano._src.ops.elementwise.arithmetic import maximum, minimum, sub
from theano._src.ops.elementwise.compare import eq, switch
from theano._src.ops.reduce.careduce import Max, Min, makeKeepDims, read_axis, settle_axis
from theano._src.ops.reduce.reduce_grad import at_extreme, spread
from theano._src.types.aliases import Axis, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.null import DisconnectedType
from theano._src.types.tensor import TensorVariable, tensor_type


@documented_in("theano.tensor.basic")
def smallest(*args: TensorLike) -> TensorVariable:
    """The smallest of any number of arguments, element by element.

    >>> import theano.tensor as T
    >>> T.smallest([1, 5], [2, 4], [3, 3]).eval()
    array([1, 3])
    """
    return _of_all(minimum, "smallest", args)


@documented_in("theano.tensor.basic")
def largest(*args: TensorLike) -> TensorVariable:
    """The largest of any number of arguments, element by element.

    >>> import theano.tensor as T
    >>> T.largest([1, 5], [2, 4], [3, 3]).eval()
    array([3, 5])
    """
    return _of_all(maximum, "largest", args)


def _of_all(
    two: Callable[[Any, Any], Any], name: str, args: Sequence[TensorLike]
) -> TensorVariable:
    if not args:
        raise TypeError(f"{name} takes at least one argument")
    return reduce(two, map(as_tensor_variable, args))


def _all_if_none(axis: Axis, x: TensorVariable, who: str) -> tuple[int, ...]:
    """Return the axes non-negative; None or an empty list means all, as in Theano."""
    result = settle_axis(read_axis(axis, who), x, who)
    return result or tuple(range(x.ndim))


class _Arg(Op):
    """The position of an extreme element over dimensions, counted in C order."""

    def __init__(self, axis: Axis = None) -> None:
        self.axis = read_axis(axis, type(self).__name__)

    def make_node(self, x: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        who = type(self).__name__
        axis = _all_if_none(self.axis, x, who)
        op = self if axis == self.axis else type(self)(axis)
        pattern = tuple(b for i, b in enumerate(x.broadcastable) if i not in axis)
        return Apply(op, [x], [tensor_type(d, pattern)() for d in op._dtypes(x.dtype)])

    def _dtypes(self, dtype: str) -> tuple[str, ...]:
        return ("int64",)

    def _lined_up(self, xp: ArrayNamespace, x: Array) -> Any:
        """Merge the reduced dimensions of ``x`` into one, the last."""
        axis = tuple(self.axis or ())
        kept = tuple(i for i in range(x.ndim) if i not in axis)
        if axis == tuple(range(len(kept), x.ndim)) and len(axis) == 1:
            return x
        shape = tuple(x.shape[i] for i in kept)
        n = math.prod(x.shape[i] for i in axis)
        return xp.reshape(xp.transpose(x, kept + axis), (*shape, n))

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        (x,) = inputs
        if x.size == 0:
            for a in self.axis or ():
                if x.shape[a] == 0:
                    raise ValueError(
                        f"{self} takes at least one element, got an input of shape {x.shape} with "
                        f"zero-size on axis {a}"
                    )

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        (shape,) = shapes
        kept = tuple(n for i, n in enumerate(shape) if i not in (self.axis or ()))
        return [kept] * len(node.outputs)

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        (x,) = inputs
        # no axis would mean all of them
        return type(self)([a + 1 for a in self.axis])(x, return_list=True) if self.axis else None

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [zero_gradient(x) for x in inputs]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return [None]


def _first(xp: ArrayNamespace, name: str, x: Array) -> Any:
    """The first position along the last dimension of the largest or smallest element."""
    if x.dtype.kind != "c":
        result = getattr(xp, name)(x, axis=-1)
    else:
        # XLA has no argmax of complex numbers; NaN equals nothing and is searched separately
        best = getattr(xp, name[3:])(x, axis=-1, keepdims=True)
        result = xp.argmax((x == best) | xp.isnan(x), axis=-1)
    return xp.astype(xp.asarray(result), np.dtype("int64"))


@documented_in("theano.tensor.basic")
class Argmax(_Arg):
    """The position of the largest element: the first of equal ones, or the first NaN."""

    __props__ = ("axis",)
    batch_rule = _Arg.batch_rule

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return _first(xp, "argmax", self._lined_up(xp, x))


class Argmin(_Arg):
    """The position of the smallest element: the first of equal ones, or the first NaN."""

    __props__ = ("axis",)
    batch_rule = _Arg.batch_rule

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return _first(xp, "argmin", self._lined_up(xp, x))


@documented_in("theano.tensor.basic")
class MaxAndArgmax(_Arg):
    """The largest element over dimensions, and its position as in Argmax."""

    __props__ = ("axis",)
    batch_rule = _Arg.batch_rule

    def _dtypes(self, dtype: str) -> tuple[str, ...]:
        return (dtype, "int64")

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.max(x, axis=self.axis), _first(xp, "argmax", self._lined_up(xp, x))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (y, _), (g, _) = inputs, outputs, output_grads
        if isinstance(g.type, DisconnectedType):
            return [zero_gradient(x)]
        # as for Max: each of several equal extremes gets the whole gradient
        return [switch(eq(x, spread(x, y, self.axis)), spread(x, g, self.axis), 0)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        return [None if dx is None else at_extreme(x, self(x)[0], dx, self.axis), None]


def _extreme(
    op_class: type[Max | Min | _Arg], x: TensorLike, axis: Axis, keepdims: bool, name: str | None
) -> TensorVariable:
    x = as_tensor_variable(x)
    op = op_class(None if axis is None else _all_if_none(axis, x, op_class.__name__))
    out = op(x)
    if name is not None:
        out.name = name
    return makeKeepDims(x, out, op.axis) if keepdims else out


@documented_in("theano.tensor.basic")
def max(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> TensorVariable:
    """The largest element over dimensions; NaN if any is NaN.

    Parameters
    ----------
    x : tensor or array
    axis : int or list of ints, optional
        The dimensions to reduce over; all by default, and for an empty list.
    keepdims : bool
        Whether to keep the reduced dimensions with length 1.

    >>> import theano.tensor as T
    >>> T.max([[1, 5], [7, 3]], axis=1).eval().tolist()
    [5, 7]
    """
    return _extreme(Max, x, axis, keepdims, "max")


@documented_in("theano.tensor.basic")
def min(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> TensorVariable:
    """The smallest element over dimensions; NaN if any is NaN.

    Parameters
    ----------
    x : tensor or array
    axis : int or list of ints, optional
        The dimensions to reduce over; all by default, and for an empty list.
    keepdims : bool
        Whether to keep the reduced dimensions with length 1.

    >>> import theano.tensor as T
    >>> T.min([[1, 5], [7, 3]], axis=1).eval().tolist()
    [1, 3]
    """
    return _extreme(Min, x, axis, keepdims, None)


@documented_in("theano.tensor.basic")
def argmax(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> TensorVariable:
    """The position of the largest element over dimensions, as int64.

    It is the first of several equal elements, or the first NaN. Over several dimensions it is
    counted in C order, as if these were flattened into one.

    Parameters
    ----------
    x : tensor or array
    axis : int or list of ints, optional
        The dimensions to reduce over; all by default.
    keepdims : bool
        Whether to keep the reduced dimensions with length 1.

    >>> import theano.tensor as T
    >>> T.argmax([[1, 5], [7, 7]], axis=1).eval().tolist()
    [1, 0]
    """
    return _extreme(Argmax, x, axis, keepdims, "argmax")


@documented_in("theano.tensor.basic")
def argmin(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> TensorVariable:
    """The position of the smallest element over dimensions, as int64; otherwise as ``argmax``.

    Parameters
    ----------
    x : tensor or array
    axis : int or list of ints, optional
        The dimensions to reduce over; all by default.
    keepdims : bool
        Whether to keep the reduced dimensions with length 1.

    >>> import theano.tensor as T
    >>> T.argmin([[1, 5], [7, 7]]).eval().item()
    0
    """
    return _extreme(Argmin, x, axis, keepdims, "argmin")


@documented_in("theano.tensor.basic")
def max_and_argmax(a: TensorLike, axis: Axis = None, keepdims: bool = False) -> list[Any]:
    """The largest element over dimensions, and its position: ``[max, argmax]``.

    Parameters
    ----------
    a : tensor or array
    axis : int or list of ints, optional
        The dimensions to reduce over; all by default.
    keepdims : bool
        Whether to keep the reduced dimensions with length 1.

    >>> import theano.tensor as T
    >>> largest, where = T.max_and_argmax([[1, 5], [7, 3]], axis=0)
    >>> largest.eval().tolist(), where.eval().tolist()
    ([7, 5], [1, 0])
    """
    x = as_tensor_variable(a)
    axis = _all_if_none(axis, x, "max_and_argmax")
    outs = MaxAndArgmax(axis)(x)
    for out, name in zip(outs, ("max", "argmax"), strict=True):
        out.name = name
    return [makeKeepDims(x, out, axis) for out in outs] if keepdims else outs


@documented_in("theano.tensor.basic")
def ptp(a: TensorLike, axis: Axis = None) -> TensorVariable:
    """Peak to peak: the largest minus the smallest element of ``a``, over ``axis`` as in ``max``.

    >>> import theano.tensor as T
    >>> T.ptp([[1, 5], [7, 3]], axis=1).eval().tolist()
    [4, 4]
    """
    a = as_tensor_variable(a)
    return sub(max(a, axis), min(a, axis))
