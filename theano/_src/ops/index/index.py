"""``x[...]``, which chooses the op for an index; set_subtensor and inc_subtensor."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.ground.documented import documented_in
from theano._src.ground.tracebacks import warn_user
from theano._src.ops.core.dimshuffle import DimShuffle, pad_left
from theano._src.ops.index.advanced import (
    AdvancedBooleanIncSubtensor,
    AdvancedBooleanSubtensor,
    AdvancedIncSubtensor,
    AdvancedSubtensor,
    advanced_boolean_subtensor,
    advanced_subtensor,
)
from theano._src.ops.index.index_list import FULL, as_array_index, is_full
from theano._src.ops.index.slice_values import is_slice_variable, with_slices
from theano._src.ops.index.slices import int64
from theano._src.ops.index.subtensor import IncSubtensor, Subtensor, basic_getitem
from theano._src.ops.index.subtensor1 import (
    AdvancedIncSubtensor1,
    AdvancedSubtensor1,
    advanced_subtensor1,
)
from theano._src.ops.shape.alloc import alloc
from theano._src.ops.shape.dims import addbroadcast, dimshuffle
from theano._src.ops.shape.shape import Reshape, reshape
from theano._src.ops.shape.static_values import vector_length
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.other import is_none
from theano._src.types.tensor import TensorVariable


def getitem(x: TensorVariable, args: object) -> Any:
    """``x[args]`` as in NumPy, for integers, slices, None, ellipsis, arrays and masks.

    One case follows Theano instead: an index with a new dimension drops the dimensions that it
    does not name if all of these are broadcastable. A warning is issued.

    >>> import theano.tensor as T
    >>> x = T.constant([[1, 2, 3], [4, 5, 6]])
    >>> getitem(x, (slice(None), [2, 0])).eval().tolist()
    [[3, 1], [6, 4]]
    """
    # a list that contains slices is a tuple, as in old versions of NumPy
    if isinstance(args, list) and any(isinstance(e, slice) for e in args):
        args = tuple(args)
    entries: list[Any] = list(args) if isinstance(args, tuple) else [args]
    for i, e in enumerate(entries):
        if e is None or e is Ellipsis or isinstance(e, slice) or is_slice_variable(e):
            continue
        if is_none(e):
            entries[i] = None
            continue
        if isinstance(e, (int, np.integer)) and not isinstance(e, bool):
            entries[i] = int64(int(e))
        else:
            entries[i] = as_array_index(e)
    entries = with_slices(x, _without_ellipsis(x, entries))
    advanced = [e for e in entries if _makes_advanced(e)]
    if not advanced:
        return basic_getitem(_without_rest(x, entries), entries)
    if any(e.type.dtype == "bool" for e in advanced):
        return advanced_boolean_subtensor(x, *entries)
    if entries[0] is advanced[0] and advanced[0].ndim == 1 and all(map(is_full, entries[1:])):
        return advanced_subtensor1(x, advanced[0])
    return advanced_subtensor(x, *entries)


def _without_rest(x: TensorVariable, entries: list[Any]) -> Any:
    """Drop the dimensions that Theano drops (see ``getitem``) and warn."""
    named = sum(e is not None for e in entries)
    rest = x.type.broadcastable[named:]
    if named == len(entries) or not rest or not all(rest):
        return x
    warn_user(
        f"A new dimension in the index of {x} of {x.type} drops the broadcastable dimensions that "
        "the index does not name, as in Theano 1.0.5 and unlike in NumPy: name them by `:` or "
        "`...` to keep them. To silence this: "
        "warnings.filterwarnings('ignore', 'A new dimension in the index')"
    )
    return dimshuffle(x, *range(named))


def _makes_advanced(e: object) -> bool:
    if not isinstance(e, Variable) or is_slice_variable(e):
        return False
    return bool(e.type.ndim > 0 or e.type.dtype == "bool")


def _without_ellipsis(x: TensorVariable, entries: list[Any]) -> list[Any]:
    """Replace the ellipsis by full slices; raise IndexError for too many indices."""
    used = 0
    for e in entries:
        if isinstance(e, slice) or is_slice_variable(e):
            used += 1
        elif isinstance(e, Variable):
            used += e.type.ndim if e.type.dtype == "bool" else 1
    if used > x.ndim:
        raise IndexError(
            f"too many indices for array: {x} of {x.type} has {x.ndim} dimensions, but {used} "
            "were indexed"
        )
    where = [i for i, e in enumerate(entries) if e is Ellipsis]
    if len(where) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if not where:
        return entries
    at, missing = where[0], x.ndim - used
    if missing == 0 and at not in (0, len(entries) - 1) and any(map(_makes_advanced, entries)):
        # NOTE: even an ellipsis of no dimensions separates arrays
        return entries
    return [*entries[:at], *[FULL] * missing, *entries[at + 1 :]]


def iterate(x: TensorVariable) -> Iterator[Any]:
    """Iterate over a vector of statically known length; TypeError for any other tensor.

    >>> import theano.tensor as T
    >>> [v.ndim for v in T.constant([1, 2, 3])]
    [0, 0, 0]
    """
    n = vector_length(x) if x.ndim == 1 else None
    if n is None:
        raise TypeError(
            f"TensorType does not support iteration: the length of {x} of {x.type} is not known "
            "before it runs. Maybe you are using builtin.sum instead of theano.tensor.sum? "
            f"(Maybe .max?) {_instead_of_iteration()}"
        )
    return (basic_getitem(x, (i,)) for i in range(n))


def _instead_of_iteration() -> str:
    frame: Any = sys._getframe(2)
    for _ in range(12):
        package = str(frame.f_globals.get("__name__")).partition(".")[0]
        if package in ("pandas", "xarray"):
            return (
                f"An object of {package} in an operation with a variable needs its values: make an "
                "array of that object first, with to_numpy() or numpy.asarray"
            )
        if frame.f_back is None:
            break
        frame = frame.f_back
    return "Loop over it with theano.scan(fn, sequences=x), or compute with whole tensors"


@documented_in("theano.tensor.subtensor")
def set_subtensor(
    x: TensorLike, y: TensorLike, inplace: bool = False, tolerate_inplace_aliasing: bool = False
) -> Any:
    """Return the tensor that ``x`` is a part of, with that part replaced by ``y``.

    Parameters
    ----------
    x : variable
        The part, as an indexed tensor: ``r[10:]``.
    y : variable or number
        Broadcast to the shape of ``x`` and cast to its dtype.
    inplace : bool
        Write into the tensor itself; meant for rewriting, not for users.
    tolerate_inplace_aliasing : bool
        With ``inplace``, allow ``x`` and ``y`` to share memory.

    >>> import theano.tensor as T
    >>> r = T.constant([1, 2, 3, 4])
    >>> T.set_subtensor(r[2:], 9).eval().tolist()
    [1, 2, 9, 9]
    """
    return inc_subtensor(x, y, inplace, True, tolerate_inplace_aliasing)


@documented_in("theano.tensor.subtensor")
def inc_subtensor(
    x: TensorLike,
    y: TensorLike,
    inplace: bool = False,
    set_instead_of_inc: bool = False,
    tolerate_inplace_aliasing: bool = False,
    ignore_duplicates: bool = False,
) -> Any:
    """Return the tensor that ``x`` is a part of, with ``y`` added to that part.

    If an element occurs several times in the index, all its increments are added, unless
    ``ignore_duplicates``. With ``set_instead_of_inc`` this is ``set_subtensor``. Other arguments
    are as for ``set_subtensor``.

    >>> import theano.tensor as T
    >>> r = T.constant([1, 2, 3, 4])
    >>> T.inc_subtensor(r[[0, 0, 3]], 10).eval().tolist()
    [21, 2, 3, 14]
    """
    if not isinstance(x, Variable) or x.owner is None:
        raise TypeError(
            "x must be the result of a subtensor operation, such as r[10:] or r[[0, 2]], got "
            f"{x!r:.80}"
        )
    y = as_tensor_variable(y)
    if y.ndim > x.type.ndim:
        raise TypeError(
            f"Trying to increment a {x.type.ndim}-dimensional subtensor with a "
            f"{y.ndim}-dimensional value: {y} of {y.type}"
        )
    if ignore_duplicates and not set_instead_of_inc:
        y, set_instead_of_inc = x + y, True
    node = x.owner
    op, (whole, *index) = node.op, node.inputs
    put = set_instead_of_inc
    match op:
        case Subtensor():
            alias = [[0, 1]] if tolerate_inplace_aliasing else None
            return IncSubtensor(op.idx_list, inplace, put, alias)(whole, y, *index)
        case AdvancedSubtensor1():
            return AdvancedIncSubtensor1(inplace, put)(whole, y, *index)
        case AdvancedSubtensor():
            return AdvancedIncSubtensor(inplace, put, op.idx_list)(whole, y, *index)
        case AdvancedBooleanSubtensor():
            return AdvancedBooleanIncSubtensor(inplace, put, op.idx_list)(whole, y, *index)
        case DimShuffle():
            return _through_shuffle(node, y, inplace, put, tolerate_inplace_aliasing)
        case Reshape():
            if y.ndim > 0:
                lengths = as_tensor_variable(x).shape
                y = alloc(y, *[lengths[i] for i in range(x.type.ndim)])
                y = reshape(y, as_tensor_variable(whole).shape, ndim=whole.type.ndim)
            return inc_subtensor(whole, y, inplace, put, tolerate_inplace_aliasing)
    raise TypeError(
        "x must be the result of a subtensor operation, such as r[10:] or r[[0, 2]], got the "
        f"result of {op}"
    )


def _through_shuffle(
    node: Apply, y: TensorVariable, inplace: bool, put: bool, tolerate: bool
) -> Any:
    """Write into a part whose dimensions were reordered or extended by new ones.

    New dimensions do not change the whole tensor; reordering also reorders the whole tensor.
    """
    op, part = node.op, node.inputs[0]
    y = pad_left(y, node.outputs[0].type.ndim)
    places = [op.new_order.index(axis) for axis in range(part.type.ndim) if axis in op.new_order]
    new = [place for place, old in enumerate(op.new_order) if old == "x"]
    y = addbroadcast(y, *[place for place in new if not y.broadcastable[place]])
    if len(places) != part.type.ndim:
        raise TypeError(f"x must be the result of a subtensor operation, got {op} of one")
    done = inc_subtensor(part, dimshuffle(y, *places), inplace, put, tolerate)
    order = [o for o in op.new_order if o != "x"]
    if order == sorted(order):
        return done
    if done.ndim != len(order):
        raise TypeError(
            f"x must be the result of a subtensor operation, got {op} of one with other "
            f"dimensions than the {done.ndim} of the whole"
        )
    return dimshuffle(done, *order)
