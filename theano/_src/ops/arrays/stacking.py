"""Stacking, concatenating and splitting arrays, under NumPy's names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.ground.documented import documented_in
from theano._src.ops.arrays.axes import atleast_1d, atleast_2d, atleast_3d, one_axis, ravel
from theano._src.ops.arrays.split import split
from theano._src.ops.elementwise.arithmetic import add, int_div, minimum, mod, mul
from theano._src.ops.shape.dims import dimshuffle
from theano._src.ops.shape.join import concatenate
from theano._src.ops.shape.shape import shape_i_op
from theano._src.ops.shape.static_values import as_length, vector_entries, vector_length
from theano._src.types.aliases import IntLike, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import TensorVariable

#: the number of parts, or the starts of all parts but the first
Sections: TypeAlias = IntLike | Sequence[Any]


def _all(change: Callable[..., Any], tup: Sequence[Any]) -> list[Any]:
    return [change(x) for x in tup]


@documented_in("theano.tensor")
def vstack(tup: Sequence[Any]) -> Any:
    """Concatenate arrays along the first dimension; vectors become rows.

    >>> import theano.tensor as T
    >>> T.vstack([[1, 2], [3, 4]]).eval().tolist()
    [[1, 2], [3, 4]]
    """
    return concatenate(_all(atleast_2d, tup), 0)


@documented_in("theano.tensor")
def hstack(tup: Sequence[Any]) -> Any:
    """Concatenate arrays along the second dimension, or vectors along the first.

    >>> import theano.tensor as T
    >>> T.hstack([[1, 2], [3]]).eval().tolist()
    [1, 2, 3]
    """
    result = _all(atleast_1d, tup)
    return concatenate(result, 0 if result and result[0].ndim == 1 else 1)


@documented_in("theano.tensor")
def dstack(tup: Sequence[Any]) -> Any:
    """Concatenate arrays along the third dimension.

    >>> import theano.tensor as T
    >>> T.dstack([[1, 2], [3, 4]]).eval().tolist()
    [[[1, 3], [2, 4]]]
    """
    return concatenate(_all(atleast_3d, tup), 2)


@documented_in("theano.tensor")
def column_stack(tup: Sequence[Any]) -> Any:
    """Concatenate arrays along the second dimension; vectors become columns.

    >>> import theano.tensor as T
    >>> T.column_stack([[1, 2], [3, 4]]).eval().tolist()
    [[1, 3], [2, 4]]
    """
    return concatenate(_all(_column, tup), 1)


def _column(x: TensorLike) -> Any:
    x = as_tensor_variable(x)
    return x if x.ndim >= 2 else dimshuffle(x, *range(x.ndim), *("x",) * (2 - x.ndim))


@documented_in("theano.tensor")
def append(arr: TensorLike, values: TensorLike, axis: int | None = None) -> Any:
    """``values`` appended to ``arr`` along a dimension, or both flattened.

    >>> import theano.tensor as T
    >>> T.append([[1, 2]], [3]).eval().tolist()
    [1, 2, 3]
    """
    if axis is None:
        return concatenate([ravel(arr), ravel(values)], 0)
    return concatenate([arr, values], axis)


@documented_in("theano.tensor")
def block(arrays: TensorLike) -> Any:
    """Assemble an array from nested lists of blocks; the innermost join along the last dimension.

    >>> import theano.tensor as T
    >>> T.block([[T.eye(2), T.zeros((2, 1))], [T.zeros((1, 2)), 5.0]]).eval().tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 5.0]]
    """
    depth = 0
    level: list[Any] = [arrays]
    while any(isinstance(x, list) for x in level):
        if not all(isinstance(x, list) and x for x in level):
            raise ValueError("block takes lists nested equally deep, and none empty")
        level = [inner for x in level for inner in x]
        depth += 1
    leaves = [as_tensor_variable(x) for x in level]
    most = max([depth, *(x.ndim for x in leaves)])
    result = iter([dimshuffle(x, *("x",) * (most - x.ndim), *range(x.ndim)) for x in leaves])

    # the depth of the recursion is that of the lists
    def together(x: object, axis: int) -> Any:
        if not isinstance(x, list):
            return next(result)
        return concatenate([together(inner, axis + 1) for inner in x], axis)

    return together(arrays, most - depth)


@documented_in("theano.tensor")
def unstack(x: TensorLike, axis: int = 0, length: int | None = None) -> tuple[Any, ...]:
    """The entries of ``x`` along a dimension; ``length`` is required if it is not known.

    >>> import theano.tensor as T
    >>> [v.eval().tolist() for v in T.unstack(T.constant([[1, 2], [3, 4]]), axis=1)]
    [[1, 3], [2, 4]]
    """
    x = as_tensor_variable(x)
    at = one_axis("unstack", axis, x.ndim)
    n = length if length is not None else static_length(x, at)
    if n is None:
        raise ValueError(f"unstack takes a length where the graph does not tell that of {x}")
    return tuple(x[(slice(None),) * at + (i,)] for i in range(n))


def static_length(x: TensorVariable, axis: int) -> int | None:
    """The length of a dimension if it is known from the graph, else None."""
    data = getattr(x, "data", None)
    if data is not None:
        return int(np.shape(data)[axis])
    return 1 if x.broadcastable[axis] else vector_length(x) if x.ndim == 1 else None


@documented_in("theano.tensor")
def array_split(ary: TensorLike, indices_or_sections: Sections, axis: int = 0) -> list[Any]:
    """Split an array along a dimension.

    Parameters
    ----------
    ary : tensor or array
    indices_or_sections : int, or sequence of ints
        The number of parts, of which the first are longer by 1 if it does not divide the length;
        or the start of each part but the first.
    axis : int

    >>> import theano.tensor as T
    >>> [x.eval().tolist() for x in T.array_split(T.arange(5), 2)]
    [[0, 1, 2], [3, 4]]
    """
    x = as_tensor_variable(ary)
    at = one_axis("array_split", axis, x.ndim)
    places = _places(indices_or_sections)
    if isinstance(places, int):
        if places <= 0:
            raise ValueError(f"array_split takes a number of parts from 1, got {places}")
        n = shape_i_op(at)(x)
        each, longer = int_div(n, as_length(places)), mod(n, as_length(places))
        ends = [
            add(mul(each, as_length(i)), minimum(longer, as_length(i))) for i in range(1, places)
        ]
    else:
        ends = places
    return [
        x[(slice(None),) * at + (slice(start, stop),)]
        for start, stop in zip([None, *ends], [*ends, None], strict=True)
    ]


def _places(given: Sections) -> Any:
    if isinstance(given, Variable):
        if given.type.ndim != 1 or vector_length(given) is None:
            raise ValueError(
                f"a split takes a number of parts that is known, or a vector of known length, got "
                f"{given} of {given.type}"
            )
        return vector_entries(given, vector_length(given) or 0)
    return int(given) if isinstance(given, int | np.integer) else list(given)


def equal_split(ary: TensorLike, indices_or_sections: Sections, axis: int = 0) -> list[Any]:
    """``numpy.split``: parts of equal length, or at given positions; Theano's ``split`` differs.

    >>> from theano._src.ops.arrays.stacking import equal_split
    >>> [x.eval().tolist() for x in equal_split([1, 2, 3, 4], 2)]
    [[1, 2], [3, 4]]
    """
    places = _places(indices_or_sections)
    if not isinstance(places, int):
        return array_split(ary, places, axis)
    x = as_tensor_variable(ary)
    at = one_axis("split", axis, x.ndim)
    if places <= 0:
        raise ValueError(f"split takes a number of parts from 1, got {places}")
    each = int_div(shape_i_op(at)(x), as_length(places))
    parts = split(x, [each] * places, places, axis=at)
    return list(parts) if isinstance(parts, (list, tuple)) else [parts]


@documented_in("theano.tensor")
def hsplit(ary: TensorLike, indices_or_sections: Sections) -> list[Any]:
    """Split an array along the second dimension, or a vector along the first.

    Arguments as for ``array_split``, but a number of parts must divide the length.

    >>> import theano.tensor as T
    >>> [x.eval().tolist() for x in T.hsplit(T.constant([[1, 2], [3, 4]]), 2)]
    [[[1], [3]], [[2], [4]]]
    """
    ary = as_tensor_variable(ary)
    return equal_split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


@documented_in("theano.tensor")
def vsplit(ary: TensorLike, indices_or_sections: Sections) -> list[Any]:
    """Split an array along the first dimension.

    Arguments as for ``array_split``, but a number of parts must divide the length.

    >>> import theano.tensor as T
    >>> [x.eval().tolist() for x in T.vsplit(T.constant([[1, 2], [3, 4]]), 2)]
    [[[1, 2]], [[3, 4]]]
    """
    return equal_split(_with(ary, 2, "vsplit"), indices_or_sections, 0)


@documented_in("theano.tensor")
def dsplit(ary: TensorLike, indices_or_sections: Sections) -> list[Any]:
    """Split an array along the third dimension.

    Arguments as for ``array_split``, but a number of parts must divide the length.

    >>> import theano.tensor as T
    >>> [x.eval().shape for x in T.dsplit(T.zeros((2, 3, 4)), [1])]
    [(2, 3, 1), (2, 3, 3)]
    """
    return equal_split(_with(ary, 3, "dsplit"), indices_or_sections, 2)


def _with(ary: TensorLike, least: int, who: str) -> TensorVariable:
    ary = as_tensor_variable(ary)
    if ary.ndim < least:
        raise ValueError(f"{who} takes {least} dimensions or more, got {ary} of {ary.type}")
    return ary
