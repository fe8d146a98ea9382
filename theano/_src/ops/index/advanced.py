"""Indexing by arrays of integers and by boolean masks, alone or mixed with slices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ops.elementwise.compare import eq, switch
from theano._src.ops.index.add_rows import add_rows
from theano._src.ops.index.index_grad import (
    last_written,
    unstretched,
    writeable,
    written_forward,
    zero_like,
)
from theano._src.ops.index.index_list import (
    FULL,
    as_array_index,
    as_part,
    bounds_hold,
    checked_unsigned,
    fill,
    from_front,
    is_full,
    key_of,
    parts_of,
    refuse_complex,
    stays_one,
    stops,
)
from theano._src.ops.index.slice_values import is_slice_variable, with_slices
from theano._src.ops.index.slices import concrete, int64, read_slice, slice_length
from theano._src.ops.reduce.careduce import sum as sum_
from theano._src.ops.shape.dims import dimshuffle
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.null import disconnected
from theano._src.types.other import is_none
from theano._src.types.scalar import get_scalar_type
from theano._src.types.tensor import TensorCall, TensorVariable, tensor_type

#: entries of an index structure: an array of integers, a boolean mask
ARRAY, MASK = "array", "mask"


def structure_of(entries: Sequence[Any]) -> tuple[tuple[Any, ...], list[Any]]:
    """Return the structure of an index of arrays, masks, slices and None, and its variables."""
    structure: list[Any] = []
    inputs: list[Any] = []

    def take(part: TensorLike) -> Any:
        if part is None:
            return None
        result = as_part(part)
        inputs.append(result)
        return get_scalar_type(result.type.dtype)

    for entry in entries:
        if entry is None or entry is Ellipsis:
            structure.append(entry)
        elif isinstance(entry, slice):
            structure.append(slice(take(entry.start), take(entry.stop), take(entry.step)))
        else:
            result = as_part(entry) if isinstance(entry, int) else as_array_index(entry)
            inputs.append(result)
            structure.append(MASK if result.type.dtype == "bool" else ARRAY)
    return tuple(structure), inputs


def _as_entry(entry: object) -> Any:
    """Return an entry of an index; NoneConst becomes None, and an array a variable."""
    if entry is None or entry is Ellipsis or isinstance(entry, (slice, int)):
        return entry
    if is_none(entry):
        return None
    return entry if is_slice_variable(entry) else as_array_index(entry)


def width(kind: object, entry: Any) -> int:
    """The number of dimensions that an entry of an index consumes."""
    if kind is None or kind is Ellipsis:
        return 0
    return int(entry.ndim) if isinstance(kind, str) and kind == MASK else 1


def _is_advanced(kind: object) -> bool:
    return isinstance(kind, str)


def arranged(
    structure: Sequence[Any],
    advanced: Sequence[Any],
    other: Callable[[int], Any],
    rest: Sequence[Any],
) -> tuple[Any, ...]:
    """Arrange one item per dimension of the result by NumPy's rules for advanced indexing.

    ``advanced`` are the items of the dimensions that arrays and masks produce together: they go
    where the arrays are if these are adjacent, else to the front. ``other(i)`` returns the item
    of entry ``i``, a slice or None. ``rest`` are the items of dimensions that are not indexed.
    """
    at = [i for i, kind in enumerate(structure) if _is_advanced(kind)]
    together = at[-1] - at[0] == len(at) - 1
    out = [] if together else list(advanced)
    for i, kind in enumerate(structure):
        if kind is Ellipsis:
            continue
        if not _is_advanced(kind):
            out.append(other(i))
        elif together and i == at[0]:
            out.extend(advanced)
    return (*out, *rest)


def aligned(patterns: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """The entries of several shapes for each dimension, aligned at the last one."""
    ndim = max(map(len, patterns))
    return [
        [p[axis - ndim + len(p)] for p in patterns if axis - ndim + len(p) >= 0]
        for axis in range(ndim)
    ]


class _Advanced(Op):
    """Base class of ops that read or write by arrays and masks.

    ``idx_list`` is the structure of the index: 'array', 'mask', None for a new dimension, slices
    of integer types, and an ellipsis of no dimensions that separates its neighbours. Arrays,
    masks and parts of slices are inputs of the node in that order. An op without ``idx_list``
    accepts a literal index; its node has an op with ``idx_list``.
    """

    allows_masks = False
    first_index = 1

    def __init__(self, idx_list: Sequence[Any] | None = None) -> None:
        self.idx_list = None if idx_list is None else tuple(idx_list)
        self.structure = self.idx_list or ()
        self.demand_only = stops(self.structure, self.first_index)

    def _settle(self, x: TensorVariable, args: Sequence[Any]) -> tuple[Self, list[Any]]:
        """Return the op with a structure, and the inputs that fill it."""
        if self.idx_list is None:
            structure, inputs = structure_of(with_slices(x, map(_as_entry, args)))
            op = self._with(structure)
        else:
            op, structure = self, self.idx_list
            inputs = [as_array_index(a) for a in args]
            wanted = sum(len(parts_of(e)) for e in structure)
            if len(inputs) != wanted:
                raise IndexError(f"{self} takes {wanted} indices, got {len(inputs)}")
        if not any(map(_is_advanced, structure)):
            raise TypeError(f"{self} takes at least one array among its indices, got {args}")
        if MASK in structure and not self.allows_masks:
            raise TypeError(
                f"{self} takes arrays of integers, got a boolean mask; "
                f"{self._boolean_name()} takes masks"
            )
        entries = fill(structure, inputs)
        used = sum(width(k, e) for k, e in zip(structure, entries, strict=True))
        if used > x.ndim:
            raise IndexError(
                f"too many indices for array: {x} of {x.type} has {x.ndim} dimensions, but "
                f"{used} were indexed"
            )
        return op, inputs

    def _boolean_name(self) -> str:
        return type(self).__name__.replace("Advanced", "AdvancedBoolean")

    def _with(self, structure: tuple[Any, ...]) -> Self:
        raise NotImplementedError

    def _pattern(self, x: TensorVariable, inputs: Sequence[Any]) -> tuple[bool, ...]:
        entries = fill(self.structure, inputs)
        axes = self._axes(entries)

        def other(i: int) -> bool:
            if self.structure[i] is None:
                return True
            return bool(x.broadcastable[axes[i]] and stays_one(entries[i]))

        patterns = [
            (False,) if kind == MASK else e.type.broadcastable
            for kind, e in zip(self.structure, entries, strict=True)
            if _is_advanced(kind)
        ]
        advanced = [all(b) for b in aligned(patterns)]
        return arranged(self.structure, advanced, other, x.broadcastable[axes[-1] :])

    def _axes(self, entries: Sequence[Any]) -> list[int]:
        """The first dimension of each entry, and the first dimension that is not indexed."""
        axes = [0]
        for kind, e in zip(self.structure, entries, strict=True):
            axes.append(axes[-1] + width(kind, e))
        return axes

    def numpy_index(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """Return the NumPy index for host values."""
        results: list[Any] = []
        for kind, e in zip(self.structure, fill(self.structure, values), strict=True):
            if isinstance(kind, slice):
                e = slice(*(None if p is None else int(p) for p in (e.start, e.stop, e.step)))
            results.append(checked_unsigned(e) if kind == ARRAY else e)
        return tuple(results)

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        entries = fill(self.structure, node.inputs[self.first_index :])
        axes = self._axes(entries)
        results = []
        for i, (kind, e) in enumerate(zip(self.structure, entries, strict=True)):
            if kind == MASK:
                results.append(sum_(e, dtype="int64"))
            elif isinstance(kind, slice) and not is_full(kind):
                results.append(slice_length(e.start, e.stop, e.step, shapes[0][axes[i]]))
        return results

    def _read(
        self, xp: ArrayNamespace, sizes: Sequence[int], x: Array, values: Sequence[Any]
    ) -> Any:
        """``x[index]`` for traced values: slices first, then arrays and the positions of masks."""
        x, index, _ = self._reduced(xp, sizes, x, values)
        # a constant is a NumPy array here, which does not accept a traced index
        return xp.asarray(x)[tuple(index)]

    def _reduced(
        self, xp: ArrayNamespace, sizes: Sequence[int], x: Array, values: Sequence[Any]
    ) -> tuple[Any, list[Any], bool]:
        """Apply the slices: return ``x``, the index of arrays, and whether ``x`` is unchanged."""
        numbers = iter(sizes)
        index: list[Any] = []
        axis, same = 0, True
        for kind, e in zip(self.structure, fill(self.structure, values), strict=True):
            if kind is None or kind is Ellipsis:
                index.append(kind)
            elif kind == ARRAY:
                index.append(from_front(xp, e, x.shape[axis]))
                axis += 1
            elif kind == MASK and e.ndim == 0:
                x, same = xp.expand_dims(x, axis), False
                index.append(xp.zeros(next(numbers), "int64"))
                axis += 1
            elif kind == MASK:
                _same_shape(x.shape[axis : axis + e.ndim], e.shape, axis)
                index.extend(xp.nonzero(e, size=next(numbers)))
                axis += e.ndim
            else:
                if not is_full(kind):
                    x, same = read_slice(xp, x, axis, e.start, e.step, next(numbers)), False
                index.append(FULL)
                axis += 1
        return x, index, same

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        x = inputs[0]
        entries = fill(self.structure, inputs[self.first_index :])
        axes = self._axes(entries)
        flags = []
        for i, (kind, e) in enumerate(zip(self.structure, entries, strict=True)):
            if kind == ARRAY:
                flags.append(bounds_hold(xp, e, x.shape[axes[i]]))
            elif isinstance(kind, slice) and e.step is not None and not concrete(e.step):
                flags.append(xp.asarray(e.step) != 0)
        return flags

    def _indexed_shape(self, node: Apply, shapes: Sequence[Any]) -> tuple[Any, ...]:
        first = self.first_index
        entries = fill(self.structure, node.inputs[first:])
        own = fill(self.structure, shapes[first:])
        axes = self._axes(entries)

        def other(i: int) -> Any:
            e = entries[i]
            if e is None:
                return int64(1)
            n = shapes[0][axes[i]]
            return n if is_full(e) else slice_length(e.start, e.stop, e.step, n)

        lengths = []
        for kind, e, shape in zip(self.structure, entries, own, strict=True):
            if kind == MASK:
                lengths.append([(sum_(e, dtype="int64"), False)])
            elif kind == ARRAY:
                lengths.append(list(zip(shape, e.type.broadcastable, strict=True)))
        advanced = [common_length(dims) for dims in aligned(lengths)]
        return arranged(self.structure, advanced, other, shapes[0][axes[-1] :])

    def __hash__(self) -> int:
        key = None if self.idx_list is None else key_of(self.idx_list)
        return hash((type(self), key, *self._props()[1:]))


def _same_shape(have: Sequence[int], mask: Sequence[int], axis: int) -> None:
    for i, (n, m) in enumerate(zip(have, mask, strict=True)):
        if n != m:
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis + i}; size of axis "
                f"is {n} but size of corresponding boolean axis is {m}"
            )


def common_length(dims: Sequence[tuple[Any, bool]]) -> Any:
    """The broadcast length of a dimension, given pairs (length, whether it is 1 by type)."""
    result = None
    for n, one in dims:
        if one or n is result:
            continue
        result = n if result is None else switch(eq(result, int64(1)), n, result)
    return int64(1) if result is None else result


@documented_in("theano.tensor.subtensor")
class BaseAdvancedSubtensor(_Advanced):
    """``x[index]`` for an index with arrays in it."""

    linear_in = (0,)
    nondiff_inputs = slice(1, None)

    def _with(self, structure: tuple[Any, ...]) -> Self:
        return type(self)(structure)

    def make_node(self, x: TensorLike, *index: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        op, inputs = self._settle(x, index)
        return Apply(op, [x, *inputs], [tensor_type(x.dtype, op._pattern(x, inputs))()])

    def compute(self, xp: ArrayNamespace, x: Array, *values: Array) -> Any:
        return xp.asarray(x[self.numpy_index(values)])

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array, *values: Array) -> Any:
        return self._read(xp, sizes, x, values)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [self._indexed_shape(node, shapes)]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        x, *index = inputs
        if any(is_batched[1:]):
            return None
        out = type(self)((FULL, *self.structure))(x, *index)
        at = [i for i, kind in enumerate(self.structure) if _is_advanced(kind)]
        if at[-1] - at[0] == len(at) - 1:
            return [out]
        # arrays that are not adjacent put their dimensions before the batch dimension
        front = (
            out.ndim - 1 - sum(not _is_advanced(k) and k is not Ellipsis for k in self.structure)
        )
        front -= node.inputs[0].type.ndim - self._axes(fill(self.structure, index))[-1]
        return [dimshuffle(out, front, *range(front), *range(front + 1, out.ndim))]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, *index), (g,) = inputs, output_grads
        inc = AdvancedBooleanIncSubtensor if self.allows_masks else AdvancedIncSubtensor
        gx = inc(idx_list=self.idx_list)(x.zeros_like(dtype=g.dtype), g, *index)
        return [gx, *(disconnected() for _ in index)]

    def __str__(self) -> str:
        return type(self).__name__


@documented_in("theano.tensor.subtensor")
class AdvancedSubtensor(BaseAdvancedSubtensor):
    """``x[index]`` with arrays of integers among integers, slices and None.

    >>> import theano.tensor as T
    >>> x = T.constant([[1, 2], [3, 4]])
    >>> T.advanced_subtensor(x, [0, 1], [1, 0]).eval()
    array([2, 3])
    """

    __call__: TensorCall

    __props__ = ("idx_list",)
    __hash__ = _Advanced.__hash__
    __str__ = BaseAdvancedSubtensor.__str__


@documented_in("theano.tensor.subtensor")
class AdvancedBooleanSubtensor(BaseAdvancedSubtensor):
    """``x[index]`` with boolean masks: the length of the result depends on the mask.

    >>> import theano.tensor as T
    >>> x = T.constant([10, 20, 30])
    >>> T.advanced_boolean_subtensor(x, x > 15).eval()
    array([20, 30])
    """

    __call__: TensorCall

    __props__ = ("idx_list",)
    __hash__ = _Advanced.__hash__
    __str__ = BaseAdvancedSubtensor.__str__
    allows_masks = True


@documented_in("theano.tensor.subtensor")
class BaseAdvancedIncSubtensor(_Advanced):
    """A copy of ``x`` with ``y`` written or added to ``x[index]``; repeated indices add up."""

    first_index = 2
    shape_like = 0
    nondiff_inputs = slice(2, None)

    def __init__(
        self,
        inplace: bool = False,
        set_instead_of_inc: bool = False,
        idx_list: Sequence[Any] | None = None,
    ) -> None:
        super().__init__(idx_list)
        self.inplace = bool(inplace)
        self.set_instead_of_inc = bool(set_instead_of_inc)
        self.destroy_map = {0: [0]} if inplace else {}

    def _with(self, structure: tuple[Any, ...]) -> Self:
        return type(self)(self.inplace, self.set_instead_of_inc, structure)

    def make_node(self, x: TensorLike, y: TensorLike, *index: TensorLike) -> Apply:
        x, y = as_tensor_variable(x), as_tensor_variable(y)
        op, inputs = self._settle(x, index)
        kept = len(op._pattern(x, inputs))
        if y.ndim > kept:
            raise TypeError(
                f"Trying to increment a {kept}-dimensional subtensor with a {y.ndim}-dimensional "
                f"value: {y} of {y.type}"
            )
        refuse_complex(op, x, y)
        return Apply(op, [x, y, *inputs], [x.type()])

    def compute(self, xp: ArrayNamespace, x: Array, y: Array, *values: Array) -> Any:
        index, y = self.numpy_index(values), xp.astype(y, x.dtype)
        if y.ndim == 1 and self._part_ndim(x.ndim, values) > 1:
            y = y[None]  # see bind
        return xp.index_set(x, index, y) if self.set_instead_of_inc else xp.index_add(x, index, y)

    def _part_ndim(self, ndim: int, values: Sequence[Any]) -> int:
        """How many dimensions ``x[index]`` has, for an ``x`` of ``ndim``."""
        entries = fill(self.structure, values)
        advanced = [
            1 if kind == MASK else e.ndim
            for kind, e in zip(self.structure, entries, strict=True)
            if _is_advanced(kind)
        ]
        rest = range(self._axes(entries)[-1], ndim)
        return len(arranged(self.structure, range(max(advanced)), lambda i: i, rest))

    def bind(self, node: Apply) -> Callable[..., Any]:
        put, inplace = self.set_instead_of_inc, self.inplace
        once = [k for k in self.structure if _is_advanced(k)] == [MASK]
        rows = self.structure == (ARRAY,)
        deep = self._part_ndim(node.inputs[0].type.ndim, node.inputs[2:]) > 1

        def run(
            x: np.ndarray[Any, Any], y: np.ndarray[Any, Any], *values: np.ndarray[Any, Any]
        ) -> Any:
            index = self.numpy_index(values)
            out = writeable(x, inplace)
            y = np.asarray(y)
            y = y if y.dtype == x.dtype else y.astype(x.dtype)
            if put:
                out[index] = y
            elif once:
                out[index] += y
            else:
                # NOTE: NumPy 2.4 adds only the first row if a vector is broadcast over a matrix
                # of indices into a vector
                y = y[None] if deep and y.ndim == 1 else y
                add_rows(out, index[0], y) if rows else np.add.at(out, index, y)
            return out

        return run

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = self.bind(node)(*inputs)

    def _selects(self, y_ndim: int) -> bool:
        """Whether one number goes wherever masks are True: the number of elements is not needed."""
        return y_ndim == 0 and all(k == MASK or is_full(k) for k in self.structure)

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        if self._selects(node.inputs[1].type.ndim) and self.structure.count(MASK) == 1:
            return ()
        return _Advanced.demands(self, node, shapes)

    def lower_xla(
        self, xp: ArrayNamespace, sizes: Sequence[int], x: Array, y: Array, *values: Array
    ) -> Any:
        y = xp.astype(y, x.dtype)
        if self._selects(y.ndim) and self.structure.count(MASK) == 1:
            axis, (mask,) = self.structure.index(MASK), values
            _same_shape(x.shape[axis : axis + mask.ndim], mask.shape, axis)
            mask = mask.reshape((1,) * axis + mask.shape + (1,) * (x.ndim - axis - mask.ndim))
            return xp.where(mask, y if self.set_instead_of_inc else x + y, x)
        _, index, same = self._reduced(xp, sizes, x, values)
        write = xp.index_set if self.set_instead_of_inc else xp.index_add
        if same:
            return write(x, tuple(index), y)
        # slices with traced bounds among arrays: index an array of element numbers instead
        places = xp.arange(x.size, dtype="int64").reshape(x.shape)
        return write(x.reshape(-1), self._read(xp, sizes, places, values), y).reshape(x.shape)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (_, y, *index), (g,) = inputs, output_grads
        read = AdvancedBooleanSubtensor if self.allows_masks else AdvancedSubtensor
        get, put = read(self.idx_list), type(self)(False, self.set_instead_of_inc, self.idx_list)
        if not self.set_instead_of_inc:
            gx, part = g, get(g, *index)
        else:
            gx = put(g, zero_like(g), *index)
            arrays = [e for e in self.structure if _is_advanced(e)]
            part = get(g, *index) if arrays == [MASK] else last_written(put, get, g, index)
        return [gx, unstretched(part, y), *(disconnected() for _ in index)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        op = type(self)(False, self.set_instead_of_inc, self.idx_list)
        return written_forward(op, inputs, eval_points)

    def __str__(self) -> str:
        return (
            f"{type(self).__name__}{{inplace={self.inplace},  "
            f"set_instead_of_inc={self.set_instead_of_inc}}}"
        )


@documented_in("theano.tensor.subtensor")
class AdvancedIncSubtensor(BaseAdvancedIncSubtensor):
    """A copy of ``x`` with ``y`` written or added to ``x[index]``, for arrays of integers.

    >>> import theano.tensor as T
    >>> x = T.zeros((2, 2))
    >>> T.advanced_inc_subtensor(x, [5, 6], [0, 1], [1, 0]).eval()
    array([[0., 5.],
           [6., 0.]])
    """

    __call__: TensorCall

    __props__ = ("idx_list", "inplace", "set_instead_of_inc")
    __hash__ = _Advanced.__hash__
    __str__ = BaseAdvancedIncSubtensor.__str__


@documented_in("theano.tensor.subtensor")
class AdvancedBooleanIncSubtensor(BaseAdvancedIncSubtensor):
    """A copy of ``x`` with ``y`` written or added to ``x[index]``, for boolean masks.

    >>> import theano.tensor as T
    >>> x = T.constant([10, 20, 30])
    >>> T.advanced_boolean_inc_subtensor(x, 1, x > 15).eval()
    array([10, 21, 31])
    """

    __call__: TensorCall

    __props__ = ("idx_list", "inplace", "set_instead_of_inc")
    __hash__ = _Advanced.__hash__
    __str__ = BaseAdvancedIncSubtensor.__str__
    allows_masks = True


advanced_subtensor = AdvancedSubtensor()
advanced_inc_subtensor = AdvancedIncSubtensor()
advanced_set_subtensor = AdvancedIncSubtensor(set_instead_of_inc=True)
advanced_boolean_subtensor = AdvancedBooleanSubtensor()
advanced_boolean_inc_subtensor = AdvancedBooleanIncSubtensor()
advanced_boolean_set_subtensor = AdvancedBooleanIncSubtensor(set_instead_of_inc=True)
