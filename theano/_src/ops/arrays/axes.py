"""Adding, moving, broadcasting and reversing dimensions, under NumPy's names."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from theano._src.ground.documented import documented_in
from theano._src.ground.utils import is_several
from theano._src.ops.elementwise.compare import eq
from theano._src.ops.meta.misc import Assert
from theano._src.ops.shape.alloc import alloc, length_list
from theano._src.ops.shape.dims import dimshuffle, patternbroadcast
from theano._src.ops.shape.shape import flatten, shape_i_op
from theano._src.ops.shape.static_values import as_length, known_int
from theano._src.types.aliases import Axis, ShapeLike, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import TensorVariable


def one_axis(who: str, axis: int, ndim: int) -> int:
    """Return the axis as a non-negative int; raise ValueError if it is out of range."""
    try:
        result = operator.index(axis)
    except TypeError:
        raise TypeError(f"{who} takes axes as integers, got {axis!r}") from None
    if not -ndim <= result < ndim:
        raise ValueError(f"{who} takes an axis from {-ndim} to {ndim - 1}, got {result}")
    return result % ndim


def axis_list(who: str, axis: Axis, ndim: int) -> list[int]:
    """Return the axes as non-negative ints; raise ValueError if one occurs twice."""
    given: list[Any] = list(axis) if is_several(axis) else [axis]
    axes = [one_axis(who, a, ndim) for a in given]
    if len(set(axes)) != len(axes):
        raise ValueError(f"{who} takes each axis once, got {axis!r}")
    return axes


@documented_in("theano.tensor")
def expand_dims(a: TensorLike, axis: Axis) -> TensorVariable:
    """``a`` with new broadcastable dimensions at the positions ``axis`` of the result.

    >>> import theano.tensor as T
    >>> T.expand_dims(T.dmatrix(), (0, 2)).broadcastable
    (True, False, True, False)
    """
    a = as_tensor_variable(a)
    wanted: list[Any] = list(axis) if is_several(axis) else [axis]
    new = axis_list("expand_dims", wanted, a.ndim + len(wanted))
    old = iter(range(a.ndim))
    return dimshuffle(a, *("x" if i in new else next(old) for i in range(a.ndim + len(wanted))))


@documented_in("theano.tensor")
def moveaxis(a: TensorLike, source: Axis, destination: Axis) -> TensorVariable:
    """``a`` with dimensions moved to other positions; the rest keep their order.

    >>> import theano.tensor as T
    >>> T.moveaxis(T.zeros((2, 3, 4)), 0, -1).eval().shape
    (3, 4, 2)
    """
    a = as_tensor_variable(a)
    old = axis_list("moveaxis", source, a.ndim)
    new = axis_list("moveaxis", destination, a.ndim)
    if len(old) != len(new):
        raise ValueError(
            f"moveaxis takes as many destinations as sources, got {source!r} and {destination!r}"
        )
    rest = iter(i for i in range(a.ndim) if i not in old)
    places = dict(zip(new, old, strict=True))
    return dimshuffle(a, *(places[i] if i in places else next(rest) for i in range(a.ndim)))


@documented_in("theano.tensor")
def rollaxis(a: TensorLike, axis: int, start: int = 0) -> TensorVariable:
    """``a`` with dimension ``axis`` moved to the position before ``start``.

    >>> import theano.tensor as T
    >>> T.rollaxis(T.zeros((2, 3, 4)), 2).eval().shape
    (4, 2, 3)
    """
    a = as_tensor_variable(a)
    old = one_axis("rollaxis", axis, a.ndim)
    before = one_axis("rollaxis", start, a.ndim + 1) if start >= 0 else start + a.ndim
    if before < 0:
        raise ValueError(f"rollaxis takes a start from {-a.ndim} to {a.ndim}, got {start}")
    return moveaxis(a, old, before - 1 if before > old else before)


@documented_in("theano.tensor")
def permute_dims(a: TensorLike, axes: Sequence[int] | None = None) -> TensorVariable:
    """``a`` with its dimensions in the order ``axes``; reversed by default.

    >>> import theano.tensor as T
    >>> T.permute_dims(T.zeros((2, 3, 4)), (1, 2, 0)).eval().shape
    (3, 4, 2)
    """
    a = as_tensor_variable(a)
    order = range(a.ndim - 1, -1, -1) if axes is None else axis_list("permute_dims", axes, a.ndim)
    return dimshuffle(a, *order)


@documented_in("theano.tensor")
def matrix_transpose(x: TensorLike) -> TensorVariable:
    """``x`` with its last two dimensions swapped.

    >>> import theano.tensor as T
    >>> T.matrix_transpose(T.zeros((2, 3, 4))).eval().shape
    (2, 4, 3)
    """
    x = as_tensor_variable(x)
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose takes two dimensions or more, got {x} of {x.type}")
    return dimshuffle(x, *range(x.ndim - 2), x.ndim - 1, x.ndim - 2)


@documented_in("theano.tensor")
def atleast_1d(*arys: TensorLike) -> Any:
    """Turn scalars into vectors of one element; return one tensor, or a tuple for several.

    >>> import theano.tensor as T
    >>> T.atleast_1d(5).eval().tolist()
    [5]
    """
    return _each(lambda x: dimshuffle(x, "x") if x.ndim == 0 else x, arys)


@documented_in("theano.tensor")
def atleast_2d(*arys: TensorLike) -> Any:
    """Turn scalars and vectors into matrices of one row; return one, or a tuple for several.

    >>> import theano.tensor as T
    >>> T.atleast_2d([1, 2]).eval().tolist()
    [[1, 2]]
    """
    return _each(lambda x: dimshuffle(x, *("x",) * (2 - x.ndim), *range(x.ndim)), arys, 2)


@documented_in("theano.tensor")
def atleast_3d(*arys: TensorLike) -> Any:
    """Add dimensions up to three: a vector becomes (1, N, 1), a matrix (M, N, 1).

    >>> import theano.tensor as T
    >>> T.atleast_3d([1, 2]).eval().shape
    (1, 2, 1)
    """
    patterns: list[tuple[Any, ...]] = [("x", "x", "x"), ("x", 0, "x"), (0, 1, "x")]
    return _each(lambda x: dimshuffle(x, *patterns[x.ndim]), arys, 3)


def _each(change: Callable[..., Any], arys: Sequence[Any], least: int = 1) -> Any:
    result = tuple(x if x.ndim >= least else change(x) for x in map(as_tensor_variable, arys))
    return result[0] if len(result) == 1 else result


@documented_in("theano.tensor")
def ravel(a: TensorLike) -> TensorVariable:
    """The elements of ``a`` as a vector.

    >>> import theano.tensor as T
    >>> T.ravel([[1, 2], [3, 4]]).eval().tolist()
    [1, 2, 3, 4]
    """
    a = as_tensor_variable(a)
    return dimshuffle(a, "x") if a.ndim == 0 else flatten(a)


@documented_in("theano.tensor")
def ndim(a: TensorLike) -> int:
    """The number of dimensions, which is part of the type.

    >>> import theano.tensor as T
    >>> T.ndim(T.dmatrix())
    2
    """
    return int(as_tensor_variable(a).ndim)


@documented_in("theano.tensor")
def size(a: TensorLike, axis: Axis = None) -> Any:
    """The number of elements, in total or along dimensions.

    >>> import theano.tensor as T
    >>> T.size([[1, 2, 3]]).eval().item()
    3
    """
    a = as_tensor_variable(a)
    if axis is None:
        return a.size
    results = [shape_i_op(i)(a) for i in axis_list("size", axis, a.ndim)]
    out = as_length(1)
    for n in results:
        out = out * n
    return out


@documented_in("theano.tensor")
def broadcast_to(array: TensorLike, shape: ShapeLike) -> TensorVariable:
    """``array`` broadcast to a shape.

    Parameters
    ----------
    array : tensor or array
    shape : int, integer scalar, sequence of them, or integer vector of known length
        Each length equals that of the array, unless the array's is 1.

    >>> import theano.tensor as T
    >>> T.broadcast_to([1, 2], (2, 2)).eval().tolist()
    [[1, 2], [1, 2]]
    """
    x = as_tensor_variable(array)
    lengths = length_list("broadcast_to", shape)
    if len(lengths) < x.ndim:
        raise ValueError(
            f"broadcast_to takes a shape of at least {x.ndim} lengths for {x}, got {len(lengths)}"
        )
    return alloc(x, *lengths) if len(lengths) else x


@documented_in("theano.tensor")
def broadcast_arrays(*args: TensorLike) -> tuple[Any, ...]:
    """Tensors broadcast against each other to one shape.

    Dimensions broadcast where their type is broadcastable.

    >>> import theano.tensor as T
    >>> [x.eval().shape for x in T.broadcast_arrays(T.ones((3, 1)), T.ones(4))]
    [(3, 4), (3, 4)]
    """
    results = [as_tensor_variable(x) for x in args]
    most = max((x.ndim for x in results), default=0)
    padded = [dimshuffle(x, *("x",) * (most - x.ndim), *range(x.ndim)) for x in results]
    # each length comes from the first array that is not broadcastable there
    first = [next((x for x in padded if not x.broadcastable[d]), None) for d in range(most)]
    lengths = [as_length(1) if x is None else shape_i_op(d)(x) for d, x in enumerate(first)]
    pattern = [x is None for x in first]
    return tuple(
        x
        if all(x is long or long is None for long in first)
        else patternbroadcast(alloc(x, *lengths), pattern)
        for x in padded
    )


@documented_in("theano.tensor.extra_ops")
def broadcast_shape_iter(arrays: Iterable[Any], arrays_are_shapes: bool = False) -> tuple[Any, ...]:
    """The broadcast shape of the tensors in an iterable; see ``broadcast_shape``.

    Parameters
    ----------
    arrays : iterable of tensors, or of shapes
    arrays_are_shapes : bool
        As for ``broadcast_shape``.

    >>> import theano.tensor as T
    >>> T.extra_ops.broadcast_shape_iter([(3, 1), (4,)], arrays_are_shapes=True)
    (3, 4)
    """
    # None denotes a dimension that broadcasts
    shapes: list[list[Any]] = []
    for given in arrays:
        if arrays_are_shapes:
            lengths = length_list("broadcast_shape", given)
            shapes.append([None if known_int(n) == 1 else n for n in lengths])
        else:
            x = as_tensor_variable(given)
            stretch = enumerate(x.broadcastable)
            shapes.append([None if one else shape_i_op(d)(x) for d, one in stretch])
    most = max(map(len, shapes), default=0)
    padded = [[None] * (most - len(lengths)) + lengths for lengths in shapes]
    return tuple(_common_length([n for n in column if n is not None]) for column in zip(*padded))


def _common_length(lengths: list[Any]) -> Any:
    """The common length of dimensions that do not broadcast; an int if one is known."""
    if not lengths:
        return 1
    known = {n for n in map(known_int, lengths) if n is not None}
    if len(known) > 1:
        raise ValueError(
            "broadcast_shape takes lengths that are 1 or the same along each dimension, "
            f"got {', '.join(map(str, sorted(known)))}"
        )
    first, *rest = sorted(lengths, key=lambda n: known_int(n) is None)
    unlike = [n for n in rest if n is not first and known_int(n) is None]
    if not unlike:
        return first
    same = [eq(as_length(n), as_length(first)) for n in unlike]
    return Assert("the lengths along a dimension are neither 1 nor the same")(
        as_length(first), *same
    )


@documented_in("theano.tensor.extra_ops")
def broadcast_shape(
    *arrays: TensorLike | ShapeLike, arrays_are_shapes: bool = False
) -> tuple[Any, ...]:
    """The shape of tensors that are broadcast together, as a tuple of lengths.

    As in elementwise operations, dimensions broadcast where their type is broadcastable. Lengths
    that are only known at run time are checked then.

    Parameters
    ----------
    *arrays : tensors, or shapes
    arrays_are_shapes : bool
        Whether ``arrays`` are shapes: sequences of lengths, where those known to be 1 broadcast.

    >>> import theano.tensor as T
    >>> T.extra_ops.broadcast_shape((3, 1), (4,), arrays_are_shapes=True)
    (3, 4)
    >>> x, y = T.dcol("x"), T.drow("y")
    >>> rows, columns = T.extra_ops.broadcast_shape(x, y)
    >>> rows.eval({x: [[1.0], [2.0]]}).item()
    2
    """
    return broadcast_shape_iter(arrays, arrays_are_shapes)


@documented_in("theano.tensor")
def flip(m: TensorLike, axis: Axis = None) -> TensorVariable:
    """``m`` with its elements in reverse order along dimensions; along all by default.

    >>> import theano.tensor as T
    >>> T.flip([[1, 2], [3, 4]], axis=1).eval().tolist()
    [[2, 1], [4, 3]]
    """
    m = as_tensor_variable(m)
    turned = range(m.ndim) if axis is None else axis_list("flip", axis, m.ndim)
    if not turned:
        return m
    return m[tuple(slice(None, None, -1) if i in turned else slice(None) for i in range(m.ndim))]


@documented_in("theano.tensor")
def fliplr(m: TensorLike) -> TensorVariable:
    """``m`` with its columns in reverse order.

    >>> import theano.tensor as T
    >>> T.fliplr([[1, 2], [3, 4]]).eval().tolist()
    [[2, 1], [4, 3]]
    """
    return flip(m, 1)


@documented_in("theano.tensor")
def flipud(m: TensorLike) -> TensorVariable:
    """``m`` with its rows in reverse order.

    >>> import theano.tensor as T
    >>> T.flipud([[1, 2], [3, 4]]).eval().tolist()
    [[3, 4], [1, 2]]
    """
    return flip(m, 0)


@documented_in("theano.tensor")
def rot90(m: TensorLike, k: int = 1, axes: Sequence[int] = (0, 1)) -> TensorVariable:
    """``m`` rotated ``k`` times by 90 degrees, from the first towards the second of ``axes``.

    >>> import theano.tensor as T
    >>> T.rot90([[1, 2], [3, 4]]).eval().tolist()
    [[2, 4], [1, 3]]
    """
    m = as_tensor_variable(m)
    pair = axis_list("rot90", tuple(axes), m.ndim)
    if len(pair) != 2:
        raise ValueError(f"rot90 takes two axes, got {axes!r}")
    one, other = pair
    order = np.arange(m.ndim)
    order[[one, other]] = other, one
    match k % 4:
        case 0:
            return m
        case 1:
            return dimshuffle(flip(m, other), *map(int, order))
        case 2:
            return flip(m, pair)
        case _:
            return flip(dimshuffle(m, *map(int, order)), other)
