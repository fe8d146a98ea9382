"""Basic indexing: integers and slices. Subtensor reads, IncSubtensor writes into a copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import NotScalarConstantError
from theano._src.ops.index.index_grad import unstretched, writeable, written_forward, zero_like
from theano._src.ops.index.index_list import (
    FULL,
    as_part,
    bounds_hold,
    constant_values,
    fill,
    flatten,
    from_front,
    index_text,
    is_full,
    key_of,
    parts_of,
    refuse_complex,
    run_index,
    stays_one,
    stops,
    take_checked,
)
from theano._src.ops.index.slices import (
    concrete,
    first_forward,
    forward,
    positions,
    read_slice,
    slice_length,
    window,
)
from theano._src.ops.shape.batch_helpers import batch_size, pad_batched, repeat_batched
from theano._src.ops.shape.dims import dimshuffle
from theano._src.ops.shape.static_values import (
    SCALAR_CONSTANTS,
    VECTOR_ENTRIES,
    VECTOR_LENGTHS,
    vector_entries,
    vector_length,
)
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.null import disconnected
from theano._src.types.scalar import Scalar
from theano._src.types.tensor import TensorCall, TensorVariable, tensor_type


def basic_checks(
    xp: ArrayNamespace, idx_list: Sequence[Any], x: Array, values: Sequence[Any]
) -> list[Any]:
    """Flags for XLA: integers lie within their dimension, and no step is 0."""
    flags = []
    for axis, entry in enumerate(fill(idx_list, values)):
        if not isinstance(entry, slice):
            flags.append(bounds_hold(xp, entry, x.shape[axis]))
        elif entry.step is not None and not concrete(entry.step):
            flags.append(xp.asarray(entry.step) != 0)
    return flags


class _Indexed(Op):
    """Base class of ops that read or write by integers and slices."""

    idx_list: tuple[Any, ...]
    _hash: int

    def _refuse_too_many(self, x: TensorVariable) -> None:
        if len(self.idx_list) > x.ndim:
            raise IndexError(
                f"too many indices for array: {x} of {x.type} has {x.ndim} dimensions, got "
                f"{len(self.idx_list)} indices"
            )

    def _index_inputs(self, inputs: Sequence[Any]) -> list[Any]:
        results = [as_part(i, str(self)) for i in inputs]
        wanted = [p for e in self.idx_list for p in parts_of(e)]
        if len(results) != len(wanted):
            raise IndexError(f"{self} takes {len(wanted)} indices, got {len(results)}")
        for have, want in zip(results, wanted, strict=True):
            if have.type.dtype != want.dtype:
                raise TypeError(f"{self} takes an index of {want}, got {have} of {have.type.dtype}")
        return results

    def _lengths(self, entries: Sequence[Any], shape: Sequence[Any]) -> list[Any]:
        """Lengths of the slices that are not full, in order."""
        return [
            slice_length(e.start, e.stop, e.step, n)
            for e, n in zip(entries, shape, strict=False)
            if isinstance(e, slice) and not is_full(e)
        ]

    def __hash__(self) -> int:
        return self._hash

    def __setstate__(self, state: dict[str, Any]) -> None:
        # str hashes differ between processes
        self.__dict__.update(state, idx_list=tuple(state["idx_list"]))
        self._hash = self._make_hash()

    def _make_hash(self) -> int:
        return hash((type(self), key_of(self.idx_list), *self._props()[1:]))


@documented_in("theano.tensor.subtensor")
class Subtensor(_Indexed):
    """``x[i, a:b:c, ...]`` for integers and slices, as in NumPy; a view of ``x``.

    ``idx_list`` is the structure of the index: a Scalar type for each integer, and slices of
    Scalar types and None. Each Scalar type stands for one more input of the node.
    """

    __call__: TensorCall

    __props__ = ("idx_list",)
    view_map = {0: [0]}
    linear_in = (0,)
    nondiff_inputs = slice(1, None)

    def __init__(self, idx_list: Sequence[Any]) -> None:
        self.idx_list, _ = flatten(idx_list)
        self.demand_only = stops(self.idx_list, 1)
        self._hash = self._make_hash()

    __hash__ = _Indexed.__hash__

    def make_node(self, x: TensorLike, *inputs: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        self._refuse_too_many(x)
        parts = self._index_inputs(inputs)
        pattern = []
        for axis, entry in enumerate(fill(self.idx_list, parts)):
            if isinstance(entry, slice):
                pattern.append(x.broadcastable[axis] and stays_one(entry))
        pattern.extend(x.broadcastable[len(self.idx_list) :])
        return Apply(self, [x, *parts], [tensor_type(x.dtype, tuple(pattern))()])

    def compute(self, xp: ArrayNamespace, x: Array, *parts: Array) -> Any:
        return x[run_index(self.idx_list, parts)]

    def bind(self, node: Apply) -> Callable[..., Any]:
        values = constant_values(node.inputs[1:])
        if values is not None:
            fixed = run_index(self.idx_list, values)
            return lambda x, *_: x[fixed]
        idx_list = self.idx_list
        if len(idx_list) == 1 and isinstance(idx_list[0], Scalar):
            return lambda x, i: x[int(i), ...]
        return lambda x, *values: x[run_index(idx_list, values)]

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return self._lengths(fill(self.idx_list, node.inputs[1:]), shapes[0])

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array, *parts: Array) -> Any:
        return read_slices(xp, sizes, x, self.idx_list, parts)

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        return basic_checks(xp, self.idx_list, inputs[0], inputs[1:])

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        entries = fill(self.idx_list, node.inputs[1:])
        out = []
        for e, n in zip(entries, shapes[0], strict=False):
            if is_full(e):
                out.append(n)
            elif isinstance(e, slice):
                out.append(slice_length(e.start, e.stop, e.step, n))
        return [(*out, *shapes[0][len(entries) :])]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        x, *parts = inputs
        if any(is_batched[1:]):
            return None
        return [Subtensor((FULL, *self.idx_list))(x, *parts)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, *parts), (g,) = inputs, output_grads
        gx = IncSubtensor(self.idx_list)(x.zeros_like(dtype=g.dtype), g, *parts)
        return [gx, *(disconnected() for _ in parts)]

    def __str__(self) -> str:
        return f"Subtensor{{{index_text(self.idx_list)}}}"


def read_slices(
    xp: ArrayNamespace,
    sizes: Sequence[int],
    x: Array,
    idx_list: Sequence[Any],
    parts: Sequence[Any],
) -> Any:
    """``x[index]`` for integers and slices of known lengths whose bounds may be traced."""
    lengths = iter(sizes)
    axis = 0
    for kind, entry in zip(idx_list, fill(idx_list, parts), strict=True):
        # NOTE: stops of slices are None in parts: test the structure for full slices
        if is_full(kind):
            axis += 1
        elif isinstance(kind, slice):
            x = read_slice(xp, x, axis, entry.start, entry.step, next(lengths))
            axis += 1
        elif concrete(entry):
            x = x[(FULL,) * axis + (int(entry),)]
        else:
            x = take_checked(xp, x, entry, axis)
    return x


@documented_in("theano.tensor.subtensor")
class IncSubtensor(_Indexed):
    """A copy of ``x`` with ``y`` added or written to ``x[i, a:b:c, ...]``.

    ``y`` is cast to the dtype of ``x`` and broadcast to the shape of the indexed part.
    """

    __call__: TensorCall

    __props__ = ("idx_list", "inplace", "set_instead_of_inc")
    shape_like = 0
    nondiff_inputs = slice(2, None)

    def __init__(
        self,
        idx_list: Sequence[Any],
        inplace: bool = False,
        set_instead_of_inc: bool = False,
        destroyhandler_tolerate_aliased: Sequence[Any] | None = None,
    ) -> None:
        self.idx_list, _ = flatten(idx_list)
        self.demand_only = stops(self.idx_list, 2)
        self.inplace = bool(inplace)
        self.set_instead_of_inc = bool(set_instead_of_inc)
        self.destroyhandler_tolerate_aliased = list(destroyhandler_tolerate_aliased or ())
        self.destroy_map = {0: [0]} if inplace else {}
        self._hash = self._make_hash()

    __hash__ = _Indexed.__hash__

    def make_node(self, x: TensorLike, y: TensorLike, *inputs: TensorLike) -> Apply:
        x, y = as_tensor_variable(x), as_tensor_variable(y)
        self._refuse_too_many(x)
        kept = x.ndim - sum(not isinstance(e, slice) for e in self.idx_list)
        if y.ndim > kept:
            raise ValueError(
                f"Trying to increment a {kept}-dimensional subtensor with a {y.ndim}-dimensional "
                f"value: {y} of {y.type}"
            )
        refuse_complex(self, x, y)
        return Apply(self, [x, y, *self._index_inputs(inputs)], [x.type()])

    def compute(self, xp: ArrayNamespace, x: Array, y: Array, *parts: Array) -> Any:
        index = run_index(self.idx_list, parts)
        y = xp.astype(y, x.dtype)
        # a basic index never selects an element twice
        return xp.index_set(x, index, y if self.set_instead_of_inc else x[index] + y)

    def bind(self, node: Apply) -> Callable[..., Any]:
        idx_list, put, inplace = self.idx_list, self.set_instead_of_inc, self.inplace
        result = constant_values(node.inputs[2:])
        fixed = None if result is None else run_index(idx_list, result)

        def run(
            x: np.ndarray[Any, Any], y: np.ndarray[Any, Any], *values: np.ndarray[Any, Any]
        ) -> Any:
            index = run_index(idx_list, values) if fixed is None else fixed
            y = np.asarray(y)
            out = writeable(x, inplace)
            y = y if y.dtype == x.dtype else y.astype(x.dtype)
            if put:
                out[index] = y
            else:
                part = out[index]
                np.add(part, y, out=part)
            return out

        return run

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = self.bind(node)(*inputs)

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return self._lengths(fill(self.idx_list, node.inputs[2:]), shapes[0])

    def lower_xla(
        self, xp: ArrayNamespace, sizes: Sequence[int], x: Array, y: Array, *parts: Array
    ) -> Any:
        y = xp.astype(y, x.dtype)
        block = _block(xp, sizes, x.shape, self.idx_list, parts)
        if block is not None:
            return xp.write_block(x, y, *block, add=not self.set_instead_of_inc)
        index = mesh(xp, sizes, x.shape, self.idx_list, parts)
        return xp.index_set(x, index, y) if self.set_instead_of_inc else xp.index_add(x, index, y)

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        return basic_checks(xp, self.idx_list, inputs[0], inputs[2:])

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        x, y, *parts = inputs
        if any(is_batched[2:]):
            return None
        kept = node.inputs[0].type.ndim - sum(not isinstance(e, slice) for e in self.idx_list)
        x = x if is_batched[0] else repeat_batched(x, batch_size(inputs, is_batched))
        op = IncSubtensor((FULL, *self.idx_list), False, self.set_instead_of_inc)
        return [op(x, pad_batched(y, kept) if is_batched[1] else y, *parts)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (_, y, *parts), (g,) = inputs, output_grads
        gx = self._without_inplace()(g, zero_like(g), *parts) if self.set_instead_of_inc else g
        gy = unstretched(Subtensor(self.idx_list)(g, *parts), y)
        return [gx, gy, *(disconnected() for _ in parts)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return written_forward(self._without_inplace(), inputs, eval_points)

    def _without_inplace(self) -> IncSubtensor:
        return IncSubtensor(self.idx_list, set_instead_of_inc=self.set_instead_of_inc)

    def __str__(self) -> str:
        what = ("Inplace" if self.inplace else "") + ("Set" if self.set_instead_of_inc else "Inc")
        return f"IncSubtensor{{{what};{index_text(self.idx_list)}}}"


def _block(
    xp: ArrayNamespace,
    sizes: Sequence[int],
    shape: Sequence[int],
    idx_list: Sequence[Any],
    parts: Sequence[Any],
) -> tuple[list[Any], list[int | None]] | None:
    """The start and length in each dimension of an index that selects one block.

    The length is None for an integer. Returns None if a step other than 1 makes it several
    blocks. XLA writes one block in place, without reading the rest.
    """
    starts: list[Any] = []
    counts: list[int | None] = []
    lengths = iter(sizes)
    for kind, entry, n in zip(idx_list, fill(idx_list, parts), shape, strict=False):
        if not isinstance(kind, slice):
            starts.append(from_front(xp, entry, n))
            counts.append(None)
        elif is_full(kind):
            starts.append(0)
            counts.append(n)
        elif forward(entry.step):
            starts.append(first_forward(xp, entry.start, n))
            counts.append(next(lengths))
        else:
            return None
    rest = shape[len(starts) :]
    return [*starts, *(0 for _ in rest)], [*counts, *rest]


def mesh(
    xp: ArrayNamespace,
    sizes: Sequence[int],
    shape: Sequence[int],
    idx_list: Sequence[Any],
    parts: Sequence[Any],
) -> Any:
    """An index of integers and slices of known lengths whose bounds may be traced.

    If a bound is traced, all entries become arrays of positions that broadcast to a grid.
    """
    while idx_list and is_full(idx_list[-1]):
        idx_list = idx_list[:-1]
    entries = fill(idx_list, parts)
    lengths = iter(sizes)
    counts = [
        (n if is_full(kind) else next(lengths)) if isinstance(kind, slice) else None
        for kind, n in zip(idx_list, shape, strict=False)
    ]
    if all(concrete(p) for e in entries for p in _read_parts(e)):
        return tuple(
            int(e) if c is None else window(e.start, e.step, c, n)
            for e, c, n in zip(entries, counts, shape, strict=False)
        )
    kept = sum(c is not None for c in counts)
    index, place = [], 0
    for e, c, n in zip(entries, counts, shape, strict=False):
        if c is None:
            index.append(from_front(xp, e, n))
            continue
        at = positions(xp, e.start, e.step, c, n)
        index.append(at.reshape((1,) * place + (-1,) + (1,) * (kept - place - 1)))
        place += 1
    return tuple(index)


def _read_parts(entry: object) -> tuple[Any, ...]:
    return (entry.start, entry.step) if isinstance(entry, slice) else (entry,)


def basic_getitem(x: TensorVariable, entries: Sequence[Any]) -> Any:
    """``x[entries]`` for integers, slices and None (a new dimension), without an ellipsis."""
    structure, inputs = flatten([e for e in entries if e is not None])
    has_new = any(e is None for e in entries)
    out = x if has_new and all(map(is_full, structure)) else Subtensor(structure)(x, *inputs)
    if not has_new:
        return out
    order: list[Any] = []
    kept = 0
    for entry in entries:
        if entry is None:
            order.append("x")
        elif isinstance(entry, slice):
            order.append(kept)
            kept += 1
    return dimshuffle(out, *order, *range(kept, out.ndim))


# Static values of parts with a constant index: sizes are often entries of shapes.


def _constant_entries(node: Apply) -> list[Any] | None:
    result = constant_values(node.inputs[1:])
    return None if result is None else fill(node.op.idx_list, [int(n) for n in result])


def _scalar_constant(node: Apply, v: Variable, value_of: Callable[[Any], Any]) -> Any:
    x = node.inputs[0]
    entries = _constant_entries(node)
    if entries is None:
        return value_of(x)
    if isinstance(x, Constant):
        try:
            return value_of(x.data[tuple(entries)])
        except (IndexError, ValueError) as e:
            # an index out of range is an error at run time only
            raise NotScalarConstantError(v) from e
    if x.type.ndim == 1 and len(entries) == 1 and isinstance(entries[0], int):
        n = vector_length(x)
        seen = x.owner is not None and type(x.owner.op) in VECTOR_ENTRIES
        if seen and n is not None and -n <= entries[0] < n:
            return value_of(vector_entries(x, n)[entries[0]])
    return value_of(x)


def _sliced_length(node: Apply) -> int | None:
    if node.inputs[0].type.ndim != 1:
        return None
    n = vector_length(node.inputs[0])
    entries = _constant_entries(node)
    if n is None or entries is None:
        return None
    return len(range(n)[entries[0]]) if entries else n


def _sliced_entries(node: Apply) -> Sequence[Any]:
    x = node.inputs[0]
    n = vector_length(x) if x.type.ndim == 1 else None
    entries = _constant_entries(node)
    if n is None or entries is None:
        out = as_tensor_variable(node.outputs[0])
        return [basic_getitem(out, (i,)) for i in range(vector_length(out) or 0)]
    result = vector_entries(x, n)
    return result[entries[0]] if entries else result


SCALAR_CONSTANTS[Subtensor] = _scalar_constant
VECTOR_LENGTHS[Subtensor] = _sliced_length
VECTOR_ENTRIES[Subtensor] = _sliced_entries
