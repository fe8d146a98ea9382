"""NumPy's functions for shapes, joining, selection and sets, with NumPy's signatures.

Functions that a family already has with NumPy's name and arguments are not repeated here.
"""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.ops.arrays import (
    diagonal,
    select as selection,
    sort as sorting,
    split as splitting,
    unique as uniques,
)
from theano._src.ops.arrays.axes import axis_list, expand_dims, one_axis
from theano._src.ops.arrays.stacking import equal_split
from theano._src.ops.core import cast
from theano._src.ops.elementwise import arithmetic, compare, logic
from theano._src.ops.meta.misc import Assert
from theano._src.ops.reduce import reduce
from theano._src.ops.shape import dims, join, ranges, shape as shapes
from theano._src.types.aliases import Axis, DTypeLike, ShapeLike, TensorLike
from theano._src.types.convert import as_tensor_variable


def _at(axis: int, key: object) -> tuple[Any, ...]:
    """Return the index that applies ``key`` along ``axis`` and selects all of the others."""
    return (slice(None),) * axis + (key,)


def _length(x: Variable, axis: int) -> Any:
    return shapes.shape_i_op(axis)(x)


def shape(a: TensorLike) -> Any:
    return shapes.shape(as_tensor_variable(a))


def reshape(a: TensorLike, shape: ShapeLike, order: str = "C", *, copy: bool | None = None) -> Any:
    _c_order("reshape", order)
    one = not isinstance(shape, (list, tuple)) and np.ndim(shape) == 0  # type: ignore[arg-type]
    return shapes.reshape(a, [shape] if one else shape)


def _c_order(who: str, order: str) -> None:
    if order not in ("C", "A", "K"):
        raise TypeError(
            f"numpy.{who} of symbolic variables takes order='C', got {order!r}; transpose first: "
            "variables have no layout in memory"
        )


def resize(a: TensorLike, new_shape: ShapeLike) -> Any:
    flat = shapes.flatten(as_tensor_variable(a))
    wanted = new_shape if isinstance(new_shape, (list, tuple)) else (new_shape,)
    total = reduce.prod(join.stack([cast.cast(n, "int64") for n in wanted]))
    return shapes.reshape(flat[ranges.arange(total) % _length(flat, 0)], tuple(wanted))


def squeeze(a: TensorLike, axis: Axis = None) -> Any:
    """Without ``axis``, remove the dimensions that are broadcastable by type."""
    a = as_tensor_variable(a)
    if axis is None:
        return dims.squeeze(a)
    gone = axis_list("squeeze", axis, a.ndim)
    # lengths that the type does not fix are checked at run time
    unknown = [i for i in gone if not a.broadcastable[i]]
    a = dims.addbroadcast(a, *unknown) if unknown else a
    return a.dimshuffle(*(i for i in range(a.ndim) if i not in gone))


def roll(a: TensorLike, shift: Variable | int | Sequence[Any], axis: Axis = None) -> Any:
    a = as_tensor_variable(a)
    if axis is None:
        flat = roll(shapes.flatten(a), shift, 0)
        return shapes.reshape(flat, shapes.shape(a), a.ndim)
    over = axis_list("numpy.roll", axis, a.ndim)
    by: list[Any] = list(shift) if isinstance(shift, (list, tuple)) else [shift]
    if len(by) != len(over) and 1 not in (len(by), len(over)):
        raise ValueError(f"numpy.roll takes a shift for each axis, got {shift!r} for axis={axis!r}")
    count = max(len(by), len(over))
    for n, i in zip(by * (count // len(by)), over * (count // len(over))):
        a = splitting.roll(a, n, i)
    return a


def copy(a: TensorLike) -> Any:
    return arithmetic.tensor_copy(as_tensor_variable(a))


def astype(x: TensorLike, dtype: DTypeLike, *, copy: bool = True) -> Any:
    return cast.cast(x, np.dtype(dtype).name)


def trace(
    a: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike = None
) -> Any:
    return reduce.sum(diagonal.diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)


def diag_indices_from(arr: TensorLike) -> tuple[Any, ...]:
    arr = as_tensor_variable(arr)
    return (ranges.arange(_length(arr, 0)),) * arr.ndim


def tril_indices_from(arr: TensorLike, k: int = 0) -> Any:
    arr = as_tensor_variable(arr)
    return selection.nonzero(ranges.tri(_length(arr, 0), _length(arr, 1), k))


def triu_indices_from(arr: TensorLike, k: int = 0) -> Any:
    arr = as_tensor_variable(arr)
    below = ranges.tri(_length(arr, 0), _length(arr, 1), ranges.one_less(k))
    return selection.nonzero(1 - below)


def vander(x: TensorLike, N: int | Variable | None = None, increasing: bool = False) -> Any:
    x = as_tensor_variable(x)
    n = _length(x, 0) if N is None else N
    powers = ranges.arange(n) if increasing else ranges.arange(n)[::-1]
    base = x if x.type.numpy_dtype.kind in "fc" else cast.cast(x, "int64")
    return base[:, None] ** cast.cast(powers, base.dtype)[None, :]


def concatenate(arrays: Sequence[Any], axis: int | None = 0) -> Any:
    results = [as_tensor_variable(a) for a in arrays]
    if axis is None:
        results, axis = [shapes.flatten(a) for a in results], 0
    return join.concatenate(results, axis=axis)


concat = concatenate


def stack(arrays: Sequence[Any], axis: int = 0) -> Any:
    return join.stack([as_tensor_variable(a) for a in arrays], axis=axis)


def split(
    ary: TensorLike, indices_or_sections: Variable | int | Sequence[Any], axis: int = 0
) -> list[Any]:
    return equal_split(ary, indices_or_sections, axis)


def where(condition: TensorLike, x: TensorLike = None, y: TensorLike = None) -> Any:
    if x is None and y is None:
        return selection.nonzero(condition)
    if x is None or y is None:
        raise ValueError("numpy.where takes both of x and y or neither, got one")
    return compare.switch(condition, *_whole_numbers([x, y]))


def _whole_numbers(choices: Sequence[Any]) -> Sequence[Any]:
    """Convert Python ints to NumPy's default integer dtype if all choices are ints."""
    if all(type(c) is int for c in choices):
        return [np.asarray(c) for c in choices]
    return choices


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: TensorLike = 0) -> Any:
    *choices, default = _whole_numbers([*choicelist, default])
    return logic.select(condlist, choices, default)


def piecewise(
    x: TensorLike, condlist: TensorLike, funclist: Sequence[Any], *args: Any, **kw: Any
) -> Any:
    """Each function is applied to all of ``x``, as the conditions are known only at run time."""
    x = as_tensor_variable(x)
    conditions = condlist if isinstance(condlist, (list, tuple)) else [condlist]
    pieces = [f(x, *args, **kw) if callable(f) else f for f in funclist]
    if len(pieces) not in (len(conditions), len(conditions) + 1):
        raise ValueError(
            f"numpy.piecewise takes a function for each condition, and one more for the rest, got "
            f"{len(conditions)} conditions and {len(pieces)} functions"
        )
    tensor = as_tensor_variable(pieces[len(conditions)] if len(pieces) > len(conditions) else 0)
    # the last true condition wins
    for condition, piece in zip(conditions, pieces):
        tensor = compare.switch(condition, piece, tensor)
    return cast.cast(tensor, x.dtype)


def extract(condition: TensorLike, arr: TensorLike) -> Any:
    flat = [shapes.flatten(as_tensor_variable(v)) for v in (condition, arr)]
    return selection.compress(*flat)


def argwhere(a: TensorLike) -> Any:
    return join.stack(list(selection.nonzero(a)), axis=1)


def delete(arr: TensorLike, obj: object, axis: int | None = None) -> Any:
    whole, axis = _flat_unless("delete", arr, axis)
    at = _place("delete", obj, "index with what stays instead")
    n = _length(whole, axis)
    inside = compare.and_(compare.le(-n, at), compare.lt(at, n))
    whole = Assert(f"numpy.delete takes an index within the axis, got {at}")(whole, inside)
    after = slice(at + 1, None) if at != -1 else slice(0, 0)
    return join.concatenate([whole[_at(axis, slice(None, at))], whole[_at(axis, after)]], axis=axis)


def insert(arr: TensorLike, obj: object, values: TensorLike, axis: int | None = None) -> Any:
    whole, axis = _flat_unless("insert", arr, axis)
    at = _place("insert", obj, "concatenate the parts instead")
    n = _length(whole, axis)
    inside = compare.and_(compare.le(-n, at), compare.le(at, n))
    whole = Assert(f"numpy.insert takes an index within the axis, got {at}")(whole, inside)
    new = cast.cast(as_tensor_variable(values), whole.dtype)
    if new.ndim < whole.ndim:
        # a number or an array of fewer dimensions fills one slice
        one = whole[_at(axis, slice(0, 1))]
        new = arithmetic.second(one, expand_dims(new, axis) if new.ndim else new)
    parts = [whole[_at(axis, slice(None, at))], new, whole[_at(axis, slice(at, None))]]
    return join.concatenate(parts, axis=axis)


def _place(who: str, obj: object, instead: str) -> int:
    if not isinstance(obj, (int, np.integer)):
        raise TypeError(
            f"numpy.{who} of symbolic variables takes one whole number, got {obj!r:.40}; {instead}"
        )
    return int(obj)


def _flat_unless(who: str, arr: TensorLike, axis: int | None) -> tuple[Any, int]:
    arr = as_tensor_variable(arr)
    if axis is None:
        return shapes.flatten(arr), 0
    return arr, one_axis(who, axis, arr.ndim)


def sort(
    a: TensorLike,
    axis: int | None = -1,
    kind: str | None = None,
    order: str | Sequence[str] | None = None,
) -> Any:
    return sorting.sort(a, axis, kind or "quicksort", order)


def argsort(
    a: TensorLike,
    axis: int | None = -1,
    kind: str | None = None,
    order: str | Sequence[str] | None = None,
    *,
    stable: bool | None = None,
) -> Any:
    return sorting.argsort(a, axis, "stable" if stable else kind or "quicksort", order)


def partition(a: TensorLike, kth: TensorLike, axis: int | None = -1) -> Any:
    """Sort completely, which is a partition for any ``kth``."""
    return sorting.sort(a, axis)


def argpartition(a: TensorLike, kth: TensorLike, axis: int | None = -1) -> Any:
    return sorting.argsort(a, axis)


def lexsort(keys: Sequence[TensorLike], axis: int = -1) -> Any:
    given = [as_tensor_variable(k) for k in keys]
    if axis not in (-1, 0) or any(k.ndim != 1 for k in given):
        raise TypeError(
            f"numpy.lexsort of symbolic variables takes a list of vectors, got {given}; sort "
            "higher arrays a row at a time"
        )
    order = sorting.argsort(given[0], kind="stable")
    for key in given[1:]:
        order = order[sorting.argsort(key[order], kind="stable")]
    return order


def unique(
    ar: TensorLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Any:
    ar = as_tensor_variable(ar)
    result = uniques.unique(ar, return_index, return_inverse, return_counts, axis)
    if not isinstance(result, (list, tuple)):
        return result
    result = list(result)
    if return_inverse and axis is None:
        where_inverse = 1 + return_index
        result[where_inverse] = shapes.reshape(result[where_inverse], shapes.shape(ar), ar.ndim)
    return tuple(result)


@functools.cache
def named(name: str, fields: str) -> Any:
    """Return a named tuple class like the result type of NumPy; created at first use."""
    return namedtuple(name, fields)


def unique_values(x: TensorLike) -> Any:
    return uniques.unique(x)


def unique_counts(x: TensorLike) -> Any:
    return named("UniqueCountsResult", "values counts")(*unique(x, return_counts=True))


def unique_inverse(x: TensorLike) -> Any:
    return named("UniqueInverseResult", "values inverse_indices")(*unique(x, return_inverse=True))


def unique_all(x: TensorLike) -> Any:
    kind = named("UniqueAllResult", "values indices inverse_indices counts")
    return kind(*unique(x, True, True, True))


def isin(element: TensorLike, test_elements: TensorLike, *, invert: bool = False) -> Any:
    element, tests = as_tensor_variable(element), as_tensor_variable(test_elements)
    equal = compare.eq(dims.shape_padright(element), shapes.flatten(tests))
    result = reduce.any(equal, axis=-1)
    return compare.invert(result) if invert else result


def union1d(ar1: TensorLike, ar2: TensorLike) -> Any:
    return uniques.unique(concatenate([ar1, ar2], axis=None))


def intersect1d(ar1: TensorLike, ar2: TensorLike) -> Any:
    distinct = uniques.unique(ar1)
    return distinct[isin(distinct, ar2)]


def setdiff1d(ar1: TensorLike, ar2: TensorLike) -> Any:
    distinct = uniques.unique(ar1)
    return distinct[isin(distinct, ar2, invert=True)]


def setxor1d(ar1: TensorLike, ar2: TensorLike) -> Any:
    return sorting.sort(join.concatenate([setdiff1d(ar1, ar2), setdiff1d(ar2, ar1)]))


def result_type(*arrays_and_dtypes: Any) -> Any:
    return np.result_type(
        *(v.type.dtype if isinstance(v, Variable) else v for v in arrays_and_dtypes)
    )


def common_type(*arrays: TensorLike) -> Any:
    return np.common_type(*(np.empty(0, as_tensor_variable(a).dtype) for a in arrays))


def apply_over_axes(func: Callable[..., Any], a: TensorLike, axes: Axis) -> Any:
    tensor: Any = as_tensor_variable(a)
    for axis in axis_list("apply_over_axes", axes, tensor.ndim):
        result = func(tensor, axis)
        tensor = result if result.ndim == tensor.ndim else expand_dims(result, axis)
    return tensor
