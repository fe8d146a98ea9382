"""Ops on dimensions: broadcast patterns, their order, adding and removing ones of length 1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.shape.static_values import SCALAR_CONSTANTS, as_length, first_input_constant
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import TensorCall, TensorType, TensorVariable

_ONE = as_length(1)


@documented_in("theano.compile.ops")
class Rebroadcast(Op):
    """The input, with some dimensions declared broadcastable or not broadcastable.

    The constructor takes pairs ``(axis, bool)``. A dimension declared broadcastable must have
    length 1 at run time.
    """

    __call__: TensorCall

    __props__ = ("items",)
    view_map = {0: [0]}
    linear_in = (0,)

    def __init__(self, *axis: tuple[int, bool]) -> None:
        for a, b in axis:
            if not isinstance(a, (int, np.integer)):
                raise TypeError(f"Rebroadcast needs integer axes. Got {a}")
            if not isinstance(b, (bool, np.bool_)):
                raise TypeError(f"Rebroadcast needs bool for new broadcast pattern. Got {b}")
        self.axis = {int(a): bool(b) for a, b in axis}
        self.items = tuple(sorted(self.axis.items()))

    def make_node(self, x: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        for a in self.axis:
            if not 0 <= a < x.ndim:
                raise ValueError(
                    f"Rebroadcast takes dimensions of its input, got {a} for {x} of {x.type}: "
                    "it has no such dimension"
                )
        pattern = tuple(self.axis.get(i, b) for i, b in enumerate(x.broadcastable))
        return Apply(self, [x], [x.type.clone(broadcastable=pattern)()])

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        (x,) = inputs
        for a, b in self.items:
            if b and x.shape[a] != 1:
                raise ValueError(
                    f"Dimension {a} in Rebroadcast's input was supposed to be 1 "
                    f"(got {x.shape[a]} instead)"
                )

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return x

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        (x,) = inputs
        return [xp.asarray(x.shape[a] == 1) for a, b in self.items if b]

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        (x_shape,) = shapes
        return [tuple(_ONE if self.axis.get(i) else n for i, n in enumerate(x_shape))]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        return [Rebroadcast(*[(a + 1, b) for a, b in self.items])(inputs[0])]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (g,) = inputs, output_grads
        return [Rebroadcast(*[(a, x.broadcastable[a]) for a in self.axis])(g)]

    def __str__(self) -> str:
        marks = ["?"] * (1 + max(self.axis, default=-1))
        for a, b in self.items:
            marks[a] = str(int(b))
        return f"Rebroadcast{{{','.join(marks)}}}"


SCALAR_CONSTANTS[Rebroadcast] = first_input_constant


def _rebroadcast(x: TensorLike, wanted: dict[int, bool]) -> Any:
    """Apply a Rebroadcast to ``x``; return ``x`` itself if its pattern is already as wanted."""
    x = as_tensor_variable(x)
    wanted = {a + x.ndim if a < 0 else a: b for a, b in wanted.items()}
    changed = [(a, b) for a, b in wanted.items() if a >= x.ndim or a < 0 or x.broadcastable[a] != b]
    return Rebroadcast(*changed)(x) if changed else x


@documented_in("theano.tensor.basic")
def addbroadcast(x: TensorLike, *axes: int) -> Any:
    """Return ``x`` with dimensions declared broadcastable: they must have length 1 at run time.

    Parameters
    ----------
    x : tensor_like
    *axes : int

    Returns
    -------
    TensorVariable
        ``x`` itself if nothing changes.

    Raises
    ------
    ValueError
        At run time, if such a dimension has another length.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.addbroadcast(T.dmatrix(), 0).broadcastable
    (True, False)
    """
    return _rebroadcast(x, dict.fromkeys(axes, True))


@documented_in("theano.tensor.basic")
def unbroadcast(x: TensorLike, *axes: int) -> Any:
    """Return ``x`` with dimensions declared not broadcastable.

    Parameters
    ----------
    x : tensor_like
    *axes : int

    Returns
    -------
    TensorVariable
        ``x`` itself if nothing changes.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.unbroadcast(T.drow(), 0).broadcastable
    (False, False)
    """
    return _rebroadcast(x, dict.fromkeys(axes, False))


@documented_in("theano.tensor.basic")
def patternbroadcast(x: TensorLike, broadcastable: Iterable[bool]) -> Any:
    """Return ``x`` with another broadcast pattern.

    Parameters
    ----------
    x : tensor_like
    broadcastable : iterable of bool
        One for each dimension. If True, the dimension must have length 1 at run time.

    Returns
    -------
    TensorVariable
        ``x`` itself if nothing changes.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.patternbroadcast(T.dmatrix(), (True, False)).type
    TensorType(float64, row)
    """
    return _rebroadcast(x, {i: bool(b) for i, b in enumerate(broadcastable)})


def _convert_pattern(x: TensorLike, type: TensorType) -> Any:
    return patternbroadcast(x, type.broadcastable)


TensorType.rebroadcast = staticmethod(_convert_pattern)


@documented_in("theano.tensor.basic")
def dimshuffle(x: TensorLike, *pattern: int | str | Sequence[int | str]) -> TensorVariable:
    """Return ``x`` with dimensions reordered, dropped (if broadcastable), and added (as 'x').

    Parameters
    ----------
    x : tensor_like
    *pattern : int or 'x'
        Or one list of them.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.dvector().dimshuffle("x", 0).broadcastable
    (True, False)
    """
    listed = len(pattern) == 1 and isinstance(pattern[0], (list, tuple))
    order: Any = pattern[0] if listed else pattern
    x = as_tensor_variable(x)
    return DimShuffle(x.broadcastable, order)(x)


@documented_in("theano.tensor.basic")
def transpose(x: TensorLike, axes: Sequence[int] | None = None) -> TensorVariable:
    """Return ``x`` with its dimensions permuted; they are reversed if ``axes`` is not given.

    The transpose of a variable named ``x`` is named ``x.T``.

    Parameters
    ----------
    x : tensor_like
    axes : sequence of int, optional

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.transpose([[1, 2], [3, 4]]).eval().tolist()
    [[1, 3], [2, 4]]
    """
    x = as_tensor_variable(x)
    backwards = tuple(range(x.ndim - 1, -1, -1))
    order = backwards if axes is None else tuple(a + x.ndim if a < 0 else a for a in axes)
    out = DimShuffle(x.broadcastable, order)(x)
    if x.name and order == backwards:
        out.name = f"{x.name}.T"
    return out


def _axis(who: str, axis: int, ndim: int) -> int:
    """Return the axis counted from 0; raise IndexError if it is out of range."""
    if not -ndim <= axis < ndim:
        raise IndexError(f"{who} takes an axis from {-ndim} to {ndim - 1}, got {axis}")
    return axis + ndim if axis < 0 else axis


@documented_in("theano.tensor.basic")
def swapaxes(y: TensorLike, axis1: int, axis2: int) -> TensorVariable:
    """Return ``y`` with its dimensions ``axis1`` and ``axis2`` exchanged.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.swapaxes(T.zeros((2, 3, 4)), 0, 2).eval().shape
    (4, 3, 2)
    """
    y = as_tensor_variable(y)
    order = list(range(y.ndim))
    a, b = _axis("swapaxes", axis1, y.ndim), _axis("swapaxes", axis2, y.ndim)
    order[a], order[b] = order[b], order[a]
    return DimShuffle(y.broadcastable, order)(y)


@documented_in("theano.tensor.extra_ops")
def squeeze(x: TensorLike) -> TensorVariable:
    """Return ``x`` without its broadcastable dimensions; ``x`` itself if there are none.

    The type decides: a dimension that is not broadcastable stays, even if its length is 1.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.squeeze(T.drow()).ndim
    1
    """
    x = as_tensor_variable(x)
    kept = [i for i, b in enumerate(x.broadcastable) if not b]
    return x if len(kept) == x.ndim else DimShuffle(x.broadcastable, kept)(x)


@documented_in("theano.tensor.basic")
def shape_padleft(t: TensorLike, n_ones: int = 1) -> TensorVariable:
    """Return ``t`` with ``n_ones`` broadcastable dimensions added in front.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.shape_padleft(T.dvector()).broadcastable
    (True, False)
    """
    t = as_tensor_variable(t)
    return DimShuffle(t.broadcastable, ["x"] * n_ones + list(range(t.ndim)))(t)


@documented_in("theano.tensor.basic")
def shape_padright(t: TensorLike, n_ones: int = 1) -> TensorVariable:
    """Return ``t`` with ``n_ones`` broadcastable dimensions added at the end.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.shape_padright(T.dvector()).broadcastable
    (False, True)
    """
    t = as_tensor_variable(t)
    return DimShuffle(t.broadcastable, list(range(t.ndim)) + ["x"] * n_ones)(t)


@documented_in("theano.tensor.basic")
def shape_padaxis(t: TensorLike, axis: int) -> TensorVariable:
    """Return ``t`` with a broadcastable dimension inserted at position ``axis`` of the result.

    Raises
    ------
    IndexError
        If the result has no such dimension.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.shape_padaxis(T.dmatrix(), 1).broadcastable
    (False, True, False)
    """
    t = as_tensor_variable(t)
    order: list[Any] = list(range(t.ndim))
    order.insert(_axis("shape_padaxis", axis, t.ndim + 1), "x")
    return DimShuffle(t.broadcastable, order)(t)
