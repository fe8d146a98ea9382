"""The structure of an index, the values that fill it, and checks of both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Constant, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import AdvancedBooleanIndexingError, AdvancedIndexingError
from theano._src.ground.length_numbers import are_numbers
from theano._src.ops.index.slices import int64
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import integer_dtypes
from theano._src.types.scalar import Scalar, get_scalar_type
from theano._src.types.tensor import TensorVariable

FULL = slice(None, None, None)


def is_full(entry: object) -> bool:
    """Whether an entry of an index is ``:``."""
    return isinstance(entry, slice) and entry == FULL


def key_of(idx_list: Sequence[Any]) -> tuple[Any, ...]:
    """An index structure in hashable form: Python 3.11 does not hash slices."""
    return tuple(
        ("slice", e.start, e.stop, e.step) if isinstance(e, slice) else e for e in idx_list
    )


def parts_of(entry: object) -> tuple[Any, ...]:
    """The parts of an entry that are inputs of the node: an integer, or the bounds of a slice."""
    if isinstance(entry, slice):
        return tuple(p for p in (entry.start, entry.stop, entry.step) if p is not None)
    return () if entry is None or entry is Ellipsis else (entry,)


def stops(idx_list: Sequence[Any], first: int) -> tuple[int, ...]:
    """Which inputs are stops of slices: these only affect the length."""
    results = []
    for entry in idx_list:
        parts = parts_of(entry)
        if isinstance(entry, slice) and entry.stop is not None:
            results.append(first + (entry.start is not None))
        first += len(parts)
    return tuple(results)


def as_part(part: TensorLike, who: str = "an index") -> Any:
    """Return an integer of an index as a 0-d integer variable; Python ints become int64."""
    if isinstance(part, (int, np.integer)) and not isinstance(part, (bool, np.bool_)):
        return int64(int(part))
    try:
        tensor = as_tensor_variable(part)
    except TypeError as e:
        raise TypeError(f"{who} takes integers, got {part!r:.80}") from e
    if tensor.type.dtype == "bool":
        raise AdvancedBooleanIndexingError(
            f"{who} takes integers, got the mask {tensor} of {tensor.type}"
        )
    if tensor.type.dtype not in integer_dtypes:
        raise TypeError(
            f"{who} takes integers, got {tensor} of dtype {tensor.type.dtype}; cast it first"
        )
    if tensor.ndim != 0:
        raise AdvancedIndexingError(f"{who} takes scalars, got {tensor} of {tensor.type}")
    return tensor


def flatten(entries: Sequence[Any]) -> tuple[tuple[Any, ...], list[Any]]:
    """Return the structure of an index of integers and slices, and its variables in order."""
    structure: list[Any] = []
    inputs: list[Any] = []

    def take(part: object) -> Any:
        if part is None:
            return None
        if isinstance(part, Scalar):
            return part
        result = as_part(part)
        inputs.append(result)
        return get_scalar_type(result.type.dtype)

    for entry in entries:
        if isinstance(entry, slice):
            structure.append(slice(take(entry.start), take(entry.stop), take(entry.step)))
        else:
            structure.append(take(entry))
    return tuple(structure), inputs


def fill(idx_list: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """The inverse of ``flatten``: the structure with its parts taken from ``inputs`` in turn."""
    rest = iter(inputs)

    def take(part: object) -> Any:
        return part if part is None or part is Ellipsis else next(rest)

    return [
        slice(take(e.start), take(e.stop), take(e.step)) if isinstance(e, slice) else take(e)
        for e in idx_list
    ]


@documented_in("theano.tensor.subtensor")
def get_idx_list(inputs: Sequence[Any], idx_list: Sequence[Any], get_count: bool = False) -> Any:
    """The index of a Subtensor node: integers and slices of variables.

    Parameters
    ----------
    inputs : list of Variables
        Inputs of the node; the first is the tensor.
    idx_list : tuple
        ``idx_list`` of the op.
    get_count : bool
        Also return the number of inputs that the index uses.

    >>> import theano.tensor as T
    >>> node = T.dvector()[2:].owner
    >>> T.subtensor.get_idx_list(node.inputs, node.op.idx_list)[0].start.data.item()
    2
    """
    result = fill(idx_list, inputs[1:])
    used = sum(len(parts_of(e)) for e in idx_list)
    return (tuple(result), used) if get_count else tuple(result)


def index_text(idx_list: Sequence[Any]) -> str:
    """Print an index structure, as in ``int64, int64:int64:``."""

    def one(entry: object) -> str:
        if not isinstance(entry, slice):
            return str(entry)
        start, stop, step = (
            "" if p is None else str(p) for p in (entry.start, entry.stop, entry.step)
        )
        return f"{start}:{stop}:{step}"

    return ", ".join(map(one, idx_list))


def stays_one(entry: slice) -> bool:
    """Whether a slice of a dimension of length 1 is known to keep its element."""
    start, stop, step = entry.start, entry.stop, entry.step
    if start is not None and not (isinstance(start, Constant) and int(start.data) == 0):
        return False
    if stop is None:
        return True
    # backwards, a stop at or after the element leaves nothing
    forward = step is None or (isinstance(step, Constant) and int(step.data) > 0)
    return forward and isinstance(stop, Constant) and int(stop.data) > 0


def run_index(idx_list: Sequence[Any], values: Sequence[Any]) -> tuple[Any, ...]:
    """The NumPy index for host values; its final ellipsis makes the result always a view."""
    return (*fill(idx_list, [int(v) for v in values]), Ellipsis)


def constant_values(parts: Sequence[Variable]) -> list[Any] | None:
    """The values of variables that are all constants, else None."""
    results = [p.data for p in parts if isinstance(p, Constant)]
    return results if len(results) == len(parts) else None


def bounds_hold(xp: ArrayNamespace, at: Array, n: int) -> Any:
    """Whether all indices lie within a dimension of length ``n``, as one bool."""
    if not are_numbers(n):  # a symbolic length is at least 1
        if isinstance(at, np.ndarray) and np.all((at == 0) | (at == -1)):
            return np.True_
        n = xp.asarray(n)
    return all_within(xp, at, -n, n)


def signed(xp: ArrayNamespace, at: Array, *lengths: Any) -> Any:
    """Return indices in a dtype that the lengths fit too: int32 if that is known, else int64.

    TPUs compute 64 bits with pairs of 32.
    """
    at = xp.asarray(at)
    short = at.dtype == "int32" or at.dtype.itemsize < 4
    fits = are_numbers(*lengths) and all(-(2**31) <= n < 2**31 for n in lengths)
    return at.astype("int32" if short and fits else "int64")


def all_within(xp: ArrayNamespace, at: Array, low: Any, stop: Any) -> Any:
    """Whether all integers are at least ``low``, which is not positive, and below ``stop``."""
    at = xp.asarray(at)
    if at.dtype == "uint64":
        return xp.all(at < xp.asarray(stop).astype("uint64"))
    at = signed(xp, at, low, stop)
    return xp.all((at >= low) & (at < stop))


def checked_unsigned(at: Any) -> Any:
    """Return an array index; raise for a uint64 from 2**63 on, which is negative to NumPy."""
    if at.dtype == "uint64" and isinstance(at, np.ndarray) and at.size:
        highest = int(at.max())
        if highest > np.iinfo("int64").max:
            raise IndexError(f"index {highest} is out of bounds: no axis is as long")
    return at


def from_front(xp: ArrayNamespace, at: Array, n: int) -> Any:
    """Return indices counted from the front."""
    at = signed(xp, at, n)
    n = n if are_numbers(n) else xp.asarray(n)
    return xp.where(at < 0, at + n, at)


#: the largest part, in elements, that is cheap to read twice; the least array that is slow to copy
_SHORT, _LARGE = 1 << 14, 1 << 16


def take_checked(xp: ArrayNamespace, x: Array, at: Array, axis: int) -> Any:
    """Return ``x`` at the indices ``at`` along ``axis``; ``checks`` report indices out of range.

    NOTE: XLA reads a single part as a slice, and then copies the whole array if the same program
    updates it (40 ms for 50 MB). Two parts are read by a gather, and the update stays in place.
    """
    at = from_front(xp, at, x.shape[axis])
    if not are_numbers(*x.shape, *at.shape):
        return xp.take(x, at, axis=axis, mode="clip")
    size = math.prod(x.shape)
    part = size // max(1, x.shape[axis])
    if math.prod(at.shape) != 1 or size < _LARGE or part > _SHORT:
        return xp.take(x, at, axis=axis, mode="clip")
    one = xp.reshape(at, (1,))
    both = xp.take(x, xp.concatenate([one, one]), axis=axis, mode="clip")
    first = both[(slice(None),) * axis + (slice(0, 1),)]
    return xp.reshape(first, x.shape[:axis] + at.shape + x.shape[axis + 1 :])


def refuse_complex(op: Op, x: TensorVariable, y: TensorVariable) -> None:
    """Raise TypeError if complex values would be written into a real tensor."""
    if y.dtype.startswith("complex") and not x.dtype.startswith("complex"):
        raise TypeError(
            f"{op} stores into {x} of {x.dtype}, got complex values: {y} of {y.dtype}; take "
            "their real part first"
        )


def as_array_index(index: TensorLike) -> TensorVariable:
    """An array-like index as an integer or bool variable."""
    check_and_reject_bool(index)
    if isinstance(index, (list, tuple)) and len(index) == 0:
        index = np.zeros(0, "int64")
    try:
        out = as_tensor_variable(index)
    except (TypeError, ValueError) as e:
        raise TypeError(
            f"an index takes integers, slices, None, an ellipsis, arrays of integers and boolean "
            f"masks, got {index!r:.80}"
        ) from e
    if out.type.dtype not in integer_dtypes and out.type.dtype != "bool":
        raise TypeError(
            f"an index must be integers or a boolean mask, got {out} of dtype "
            f"{out.type.dtype}; cast it with .astype('int64'), or divide with // instead of /"
        )
    return out


@documented_in("theano.tensor.subtensor")
def check_and_reject_bool(args_el: object) -> None:
    """Raise TypeError if the index ``args_el`` is a Python bool, or a list that contains one.

    >>> import theano.tensor as T
    >>> T.subtensor.check_and_reject_bool([0, 1])
    """
    todo = [args_el]
    while todo:
        result = todo.pop()
        if isinstance(result, bool):
            raise TypeError(
                "TensorType does not support Python bools for indexing, such as "
                "tensor[[True, False]]. To use a boolean mask, convert the mask to a NumPy array "
                "first, e.g., tensor[numpy.array([True, False])]."
            )
        if isinstance(result, (list, tuple)):
            todo.extend(result)


@documented_in("theano.tensor.subtensor")
def as_index_variable(idx: TensorLike) -> Any:
    """Return ``idx`` unchanged if it is None or a slice, and as a variable otherwise.

    >>> import theano.tensor as T
    >>> T.subtensor.as_index_variable([0, 2]).type
    TensorType(int64, vector)
    """
    return idx if idx is None or isinstance(idx, slice) else as_array_index(idx)
