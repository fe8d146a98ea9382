"""Flat and multi-dimensional indices, permutations of rows, and one-hot encoding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.core.dimshuffle import pad_left
from theano._src.ops.elementwise.compare import eq
from theano._src.ops.index.advanced import aligned, common_length
from theano._src.ops.index.index import getitem, set_subtensor
from theano._src.ops.index.index_list import all_within, bounds_hold
from theano._src.ops.index.slices import concrete
from theano._src.ops.reduce.careduce import sum as sum_
from theano._src.ops.shape.alloc import zeros
from theano._src.ops.shape.ranges import arange
from theano._src.ops.shape.static_values import get_vector_length
from theano._src.types.aliases import DTypeLike, IntLike, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import discrete_dtypes, integer_dtypes
from theano._src.types.null import grad_undefined
from theano._src.types.tensor import TensorVariable, tensor_type


def _integers(who: Op, what: str, x: TensorLike) -> TensorVariable:
    out = as_tensor_variable(x)
    if out.dtype not in integer_dtypes:
        raise TypeError(
            f"{who}: '{out.dtype}' object cannot be interpreted as an index; {what} are integers"
        )
    return out


def _dims_vector(who: Op, dims: TensorLike) -> TensorVariable:
    dims = _integers(who, "dims", dims)
    if dims.ndim != 1:
        raise TypeError(f"{who} takes a vector as dims, got {dims} of {dims.type}")
    return dims


def _order(order: str) -> str:
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F', got {order!r}")
    return order


@documented_in("theano.tensor.extra_ops")
class UnravelIndex(Op):
    """Flat indices converted to one index per dimension of an array of shape ``dims``."""

    __props__ = ("ndim", "order")
    shape_like = 0

    def __init__(self, ndim: int, order: str = "C") -> None:
        if not isinstance(ndim, (int, np.integer)) or ndim <= 0:
            raise ValueError(f"ndim must be an integer greater than 0, got {ndim!r}")
        self.ndim = int(ndim)
        self.order = _order(order)

    def make_node(self, indices: TensorLike, dims: TensorLike) -> Apply:
        indices, dims = _integers(self, "indices", indices), _dims_vector(self, dims)
        kind = tensor_type("int64", indices.broadcastable)
        return Apply(self, [indices, dims], [kind() for _ in range(self.ndim)])

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        indices, dims = inputs
        if len(dims) != self.ndim:
            raise ValueError(f"{self} takes dims of length {self.ndim}, got {len(dims)}")
        size = int(np.prod([int(d) for d in dims], dtype=object))
        wrong = (indices < 0) | (indices >= size)
        if np.any(wrong):
            at = np.asarray(indices)[wrong].flat[0]
            raise ValueError(f"index {at} is out of bounds for array with size {size}")

    def compute(self, xp: ArrayNamespace, indices: Array, dims: Array) -> Any:
        rest = xp.astype(xp.asarray(indices), "int64")
        dims = xp.astype(xp.asarray(dims), "int64")
        out: list[Any] = [None] * self.ndim
        inner_first = range(self.ndim - 1, -1, -1) if self.order == "C" else range(self.ndim)
        for k in inner_first:
            # a dimension of length 0 has no valid index: avoid the remainder by 0
            n = xp.maximum(dims[k], 1)
            out[k] = xp.asarray(rest % n)
            rest = rest // n
        return tuple(out) if self.ndim > 1 else out[0]

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        indices, dims = inputs
        size = xp.prod(xp.astype(xp.asarray(dims), "int64"))
        return [all_within(xp, indices, 0, size)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        why = "indices are integers"
        return [grad_undefined(self, i, x, why) for i, x in enumerate(inputs)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return [None] * self.ndim


@documented_in("theano.tensor.extra_ops")
def unravel_index(
    indices: TensorLike, dims: TensorLike, order: str = "C", ndim: int | None = None
) -> Any:
    """Convert flat indices to a tuple of indices, one per dimension.

    Parameters
    ----------
    indices : integer tensor
    dims : tuple of ints, or vector
        The shape of the indexed array.
    order : {'C', 'F'}
        Whether the last ('C') or the first ('F') index changes fastest.
    ndim : int, optional
        The length of ``dims``; required if it is not known from the graph.

    >>> import theano.tensor as T
    >>> [int(i.eval()) for i in T.extra_ops.unravel_index(4, (2, 3))]
    [1, 1]
    """
    dims = as_tensor_variable(np.zeros(0, "int64") if _is_empty(dims) else dims)
    if ndim is None:
        try:
            ndim = get_vector_length(dims)
        except ValueError as e:
            raise ValueError(
                f"The length of the provided dimension list ({dims}) cannot be automatically "
                "determined, so Theano is not able to know what the number of dimensions of the "
                "unraveled index will be. You can provide the 'ndim' keyword argument to "
                "manually specify the number of dimensions."
            ) from e
    result = UnravelIndex(ndim, order)(indices, dims, return_list=True)
    return tuple(result)


def _is_empty(dims: object) -> bool:
    return isinstance(dims, (list, tuple)) and not dims


@documented_in("theano.tensor.extra_ops")
class RavelMultiIndex(Op):
    """One index per dimension converted to flat indices of an array of shape ``dims``."""

    __props__ = ("mode", "order")

    def __init__(self, mode: str | Sequence[str] = "raise", order: str = "C") -> None:
        modes = mode if isinstance(mode, (tuple, list)) else (mode,)
        for m in modes:
            if m not in ("raise", "wrap", "clip"):
                raise ValueError(f"mode must be 'raise', 'wrap' or 'clip', got {m!r}")
        self.mode = mode if isinstance(mode, str) else tuple(mode)
        self.order = _order(order)

    def make_node(self, *inputs: TensorLike) -> Apply:
        *given, dims = inputs
        index = [_integers(self, "indices", i) for i in given]
        if not index:
            raise ValueError(f"{self} takes an index for each dimension, got none")
        dims = _dims_vector(self, dims)
        pattern = tuple(all(b) for b in aligned([i.broadcastable for i in index]))
        return Apply(self, [*index, dims], [tensor_type("int64", pattern)()])

    def _modes(self, n: int) -> tuple[str, ...]:
        return (self.mode,) * n if isinstance(self.mode, str) else self.mode

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        *index, dims = inputs
        if len(index) != len(dims):
            raise ValueError(
                f"parameter multi_index must be a sequence of length {len(dims)}, got {len(index)}"
            )
        for i, n, mode in zip(index, dims, self._modes(len(index)), strict=True):
            if mode == "raise" and np.any((i < 0) | (i >= n)):
                raise ValueError(f"invalid entry in coordinates array: {i} with dimension {n}")

    def compute(self, xp: ArrayNamespace, *inputs: Array) -> Any:
        *index, dims = inputs
        dims = xp.astype(xp.asarray(dims), "int64")
        index = [xp.astype(xp.asarray(i), "int64") for i in index]
        axes = range(len(index)) if self.order == "C" else range(len(index) - 1, -1, -1)
        modes = self._modes(len(index))
        flat = xp.zeros((), "int64")
        for k in axes:
            i, n = index[k], dims[k]
            if modes[k] == "wrap":
                i = i % n
            elif modes[k] == "clip":
                i = xp.minimum(xp.maximum(i, 0), n - 1)
            flat = flat * n + i
        return xp.asarray(flat)

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        *index, dims = inputs
        modes = self._modes(len(index))
        return [
            all_within(xp, i, 0, dims[k])
            for k, (i, mode) in enumerate(zip(index, modes, strict=True))
            if mode == "raise"
        ]

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        pairs = [
            list(zip(shape, v.type.broadcastable, strict=True))
            for shape, v in zip(shapes[:-1], node.inputs[:-1], strict=True)
        ]
        return [tuple(common_length(dims) for dims in aligned(pairs))]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        why = "indices are integers"
        return [grad_undefined(self, i, x, why) for i, x in enumerate(inputs)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return [None]


@documented_in("theano.tensor.extra_ops")
def ravel_multi_index(
    multi_index: Sequence[TensorLike],
    dims: TensorLike,
    mode: str | Sequence[str] = "raise",
    order: str = "C",
) -> Any:
    """Convert a tuple of indices, one per dimension, to flat indices.

    Parameters
    ----------
    multi_index : tuple of integer tensors
    dims : tuple of ints, or vector
    mode : {'raise', 'wrap', 'clip'}, or a tuple of these
        How to handle an index out of range.
    order : {'C', 'F'}

    >>> import theano.tensor as T
    >>> int(T.extra_ops.ravel_multi_index((1, 1), (2, 3)).eval())
    4
    """
    if not isinstance(multi_index, (tuple, list)):
        raise TypeError(f"multi_index must be a tuple or a list, got {type(multi_index).__name__}")
    return RavelMultiIndex(mode, order)(*multi_index, dims)


@documented_in("theano.tensor.basic")
class PermuteRowElements(Op):
    """Each row of ``x`` permuted by the row of ``y``, or by its inverse with ``inverse``.

    Rows are along the last dimension; the others broadcast as in elementwise ops.
    """

    __props__ = ()
    linear_in = (0,)

    def make_node(self, x: TensorLike, y: TensorLike, inverse: TensorLike = 0) -> Apply:
        x, y = as_tensor_variable(x), as_tensor_variable(y)
        inverse = as_tensor_variable(int(inverse) if isinstance(inverse, bool) else inverse)
        if y.dtype not in integer_dtypes:
            raise TypeError(f"{self} takes integers as order, got {y} of {y.dtype}")
        if inverse.ndim != 0 or inverse.dtype not in discrete_dtypes:
            raise TypeError(f"{self} takes 0 or 1 as inverse, got {inverse} of {inverse.type}")
        if x.ndim == 0 or y.ndim == 0:
            raise TypeError(f"{self} takes rows, got {x} of {x.type} and {y} of {y.type}")
        ndim = max(x.ndim, y.ndim)
        rows, order = pad_left(x, ndim), pad_left(y, ndim)
        pattern = [a and b for a, b in zip(rows.broadcastable, order.broadcastable, strict=True)]
        return Apply(self, [rows, order, inverse], [tensor_type(x.dtype, tuple(pattern))()])

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        x, y, _ = inputs
        stretch = list(
            zip(node.inputs[0].type.broadcastable, node.inputs[1].type.broadcastable, strict=True)
        )
        stretch[-1] = (False, False)
        for axis, (n, m) in enumerate(zip(x.shape, y.shape, strict=True)):
            if n != m and not any(stretch[axis]):
                raise ValueError(f"Dimension mismatch: {n}, {m} in dimension {axis} of {self}")

    def compute(self, xp: ArrayNamespace, x: Array, y: Array, inverse: Array) -> Any:
        y = xp.astype(y, "int64")
        y = xp.where(y < 0, y + x.shape[-1], y)
        # argsort of a permutation is its inverse
        if not concrete(inverse):
            y = xp.where(inverse != 0, xp.argsort(y, axis=-1), y)
        elif inverse:
            y = xp.argsort(y, axis=-1)
        lead = np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
        x = xp.broadcast_to(x, (*lead, x.shape[-1]))
        return xp.take_along_axis(x, xp.broadcast_to(y, (*lead, y.shape[-1])), axis=-1)

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        x, y, _ = inputs
        return [bounds_hold(xp, y, x.shape[-1])]

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        pairs = [
            list(zip(shapes[i], node.inputs[i].type.broadcastable, strict=True)) for i in (0, 1)
        ]
        lead = [common_length(dims) for dims in aligned(pairs)[:-1]]
        return [(*lead, shapes[0][-1])]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, y, inverse), (g,) = inputs, output_grads
        gx = self(g, y, cast(eq(inverse, 0), "int8"))
        axes = [d for d, one in enumerate(x.broadcastable) if one and not gx.broadcastable[d]]
        gx = sum_(gx, axis=axes, keepdims=True) if axes else gx
        why = "it chooses elements"
        return [gx, grad_undefined(self, 1, y, why), grad_undefined(self, 2, inverse, why)]


_permute_row_elements = PermuteRowElements()


@documented_in("theano.tensor.basic")
def permute_row_elements(x: TensorLike, y: TensorLike, inverse: TensorLike = 0) -> Any:
    """Permute each row of ``x`` by the row of ``y``: ``x[y]`` for vectors.

    Parameters
    ----------
    x : tensor of one or more dimensions
    y : integer tensor
        Rows are permutations of 0 to n - 1.
    inverse : int
        If not 0, apply the inverse permutations.

    >>> import theano.tensor as T
    >>> T.permute_row_elements(T.constant([5, 6, 7]), [2, 0, 1]).eval().tolist()
    [7, 5, 6]
    """
    return _permute_row_elements(x, y, inverse)


@documented_in("theano.tensor.basic")
def inverse_permutation(perm: TensorLike) -> Any:
    """The inverses of the permutations in the rows of ``perm``.

    >>> import theano.tensor as T
    >>> T.inverse_permutation(T.constant([2, 0, 1])).eval().tolist()
    [1, 2, 0]
    """
    perm = as_tensor_variable(perm)
    if perm.ndim == 0 or perm.dtype not in integer_dtypes:
        raise TypeError(f"inverse_permutation takes rows of integers, got {perm} of {perm.type}")
    n = perm.shape[perm.ndim - 1]
    return permute_row_elements(arange(n, dtype=perm.dtype), perm, inverse=1)


@documented_in("theano.tensor.extra_ops")
def to_one_hot(y: TensorLike, nb_class: IntLike, dtype: DTypeLike = None) -> Any:
    """One-hot encoding: a row for each entry of ``y``, with 1 in that column and 0 elsewhere.

    Parameters
    ----------
    y : integer vector
        Entries in 0 to ``nb_class - 1``.
    nb_class : int or scalar
    dtype : str, optional
        ``floatX`` by default.

    >>> import theano.tensor as T
    >>> T.extra_ops.to_one_hot(T.constant([2, 0]), 3).eval().tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    y = as_tensor_variable(y)
    if y.ndim != 1:
        raise TypeError(f"to_one_hot takes a vector of classes, got {y} of {y.type}")
    n = y.shape[0]
    array = zeros((n, nb_class), dtype=config.floatX if dtype is None else dtype)
    return set_subtensor(getitem(array, (arange(n), y)), 1)
