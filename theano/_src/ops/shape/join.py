"""Joining, stacking and splitting arrays, and vectors built from scalars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ground.tracebacks import warn_user
from theano._src.ops.core.cast import cast
from theano._src.ops.elementwise.arithmetic import mod
from theano._src.ops.elementwise.compare import eq, switch
from theano._src.ops.shape.batch_helpers import all_batched, batch_size
from theano._src.ops.shape.dims import dimshuffle, patternbroadcast, shape_padaxis
from theano._src.ops.shape.static_values import (
    VECTOR_ENTRIES,
    VECTOR_LENGTHS,
    as_length,
    known_int,
    total,
    vector_entries,
    vector_length,
)
from theano._src.types.aliases import IntLike, TensorLike
from theano._src.types.convert import CONVERTERS, as_tensor_variable, constant
from theano._src.types.dtypes import integer_dtypes, known_dtype, upcast
from theano._src.types.null import DisconnectedType, disconnected
from theano._src.types.tensor import TensorVariable, tensor_type


def _as_dtype(v: Variable, dtype: str) -> Any:
    """Cast a tensor; a constant stays a constant."""
    if v.type.dtype == dtype:
        return v
    return constant(v.data.astype(dtype)) if isinstance(v, Constant) else cast(v, dtype)


def axis_scalar(who: str, axis: TensorLike) -> TensorVariable:
    axis = as_tensor_variable(axis)
    if axis.ndim != 0 or axis.dtype not in integer_dtypes:
        raise TypeError(f"{who} takes an integer scalar as axis, got {axis} of {axis.type}")
    return axis


def length_along(
    axis: Variable, ndim: int, lengths: Sequence[Any], length: Variable
) -> tuple[Any, ...]:
    """Return ``lengths`` with the entry for ``axis``, which may be symbolic, set to ``length``."""
    known = known_int(axis)
    if known is not None:
        return tuple(length if d == known % ndim else n for d, n in enumerate(lengths))
    where = mod(as_length(axis), as_length(ndim))
    return tuple(switch(eq(where, as_length(d)), length, n) for d, n in enumerate(lengths))


@documented_in("theano.tensor.opt")
class MakeVector(Op):
    """The vector of ``dtype`` whose entries are the inputs, which are scalars.

    >>> import theano.tensor as T
    >>> T.opt.MakeVector("int64")(1, 2).eval()
    array([1, 2])
    """

    __props__ = ("dtype",)
    linear_in = slice(None)

    def __init__(self, dtype: str = "int64") -> None:
        self.dtype = known_dtype(dtype)

    def make_node(self, *inputs: TensorLike) -> Apply:
        ins = [as_tensor_variable(x) for x in inputs]
        for x in ins:
            if x.ndim != 0:
                raise TypeError(f"{self} takes scalars, got {x} of {x.type}; use stack")
            if upcast(x.dtype, self.dtype) != self.dtype:
                raise TypeError(f"{self} cannot hold {x} of {x.type}; cast it first")
        ins = [_as_dtype(x, self.dtype) for x in ins]
        return Apply(self, ins, [tensor_type(self.dtype, (False,))()])

    def compute(self, xp: ArrayNamespace, *inputs: Array) -> Any:
        return xp.asarray(inputs, dtype=self.dtype)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        return [(as_length(len(node.inputs)),)]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        columns = all_batched(inputs, is_batched, batch_size(inputs, is_batched))
        return [join_(1, *[dimshuffle(c, 0, "x") for c in columns])]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g,) = output_grads
        return [g[i] for i in range(len(inputs))]


make_vector = MakeVector()
VECTOR_LENGTHS[MakeVector] = lambda node: len(node.inputs)
VECTOR_ENTRIES[MakeVector] = lambda node: node.inputs


@documented_in("theano.tensor.basic")
class Join(Op):
    """Concatenate the inputs after the first along the axis given by the first.

    ``join_`` is the op itself; ``join`` also accepts a single array.

    >>> import theano.tensor as T
    >>> T.join_(0, [1, 2], [3]).eval().tolist()
    [1, 2, 3]
    """

    __props__ = ("view",)
    demand_only = (0,)
    linear_in = slice(1, None)
    nondiff_inputs = (0,)

    def __init__(self, view: int = -1) -> None:
        self.view = view

    def make_node(self, axis: TensorLike, *tensors: TensorLike) -> Apply:
        if not tensors:
            raise ValueError("Cannot join an empty list of tensors")
        axis = axis_scalar("Join", axis)
        ins = [as_tensor_variable(x) for x in tensors]
        ndim = ins[0].ndim
        for x in ins:
            if x.ndim == 0:
                raise TypeError(f"Join takes arrays with dimensions, got the scalar {x}; use stack")
            if x.ndim != ndim:
                raise TypeError(
                    "Join() can only join tensors with the same number of dimensions, got "
                    f"{', '.join(f'{v} of {v.type}' for v in ins)}"
                )
        dtype = upcast(*[x.dtype for x in ins])
        node_inputs = [axis, *[_as_dtype(x, dtype) for x in ins]]
        pattern = self._pattern(known_int(axis), ins)
        return Apply(self, node_inputs, [tensor_type(dtype, pattern)()])

    @staticmethod
    def _pattern(axis: int | None, ins: Sequence[TensorVariable]) -> tuple[bool, ...]:
        ndim = ins[0].ndim
        if axis is not None and not -ndim <= axis < ndim:
            kind = ValueError if axis >= 0 else IndexError
            raise kind(f"Join takes an axis from {-ndim} to {ndim - 1} for {ins[0]}, got {axis}")
        if len(ins) == 1:
            return ins[0].broadcastable
        if axis is None:
            return (False,) * ndim
        return tuple(d != axis % ndim and any(x.broadcastable[d] for x in ins) for d in range(ndim))

    def compute(self, xp: ArrayNamespace, axis: Array, *tensors: Array) -> Any:
        return self._join(xp, int(axis), tensors)

    def _join(self, xp: ArrayNamespace, axis: int, tensors: Sequence[Any]) -> Any:
        ndim = tensors[0].ndim
        if not -ndim <= axis < ndim:
            raise np.exceptions.AxisError(axis, ndim, "Join")
        first = tensors[0].shape
        for x in tensors:
            if any(d != axis % ndim and n != first[d] for d, n in enumerate(x.shape)):
                shapes = ", ".join(str(t.shape) for t in tensors)
                raise ValueError(
                    f"Join along axis {axis} takes arrays that agree in all other dimensions, "
                    f"got shapes {shapes}"
                )
        return xp.concatenate(tensors, axis=axis)

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return (as_length(node.inputs[0]),)

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        return self._join(xp, sizes[0], inputs[1:])

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        lengths = shapes[1:]
        axis, ndim = node.inputs[0], len(lengths[0])
        known = known_int(axis)
        if known is not None:
            return [length_along(axis, ndim, lengths[0], total(s[known % ndim] for s in lengths))]
        where = mod(as_length(axis), as_length(ndim))
        return [
            tuple(
                switch(eq(where, as_length(d)), total(s[d] for s in lengths), lengths[0][d])
                for d in range(ndim)
            )
        ]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        axis, *parts = inputs
        at = None if is_batched[0] else known_int(axis)
        if at is None:
            return None
        n = batch_size(inputs, is_batched)
        return [
            join_(at % (parts[0].ndim - is_batched[1]) + 1, *all_batched(parts, is_batched[1:], n))
        ]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (axis, *parts), (g,) = inputs, output_grads
        known = known_int(axis)
        at = axis if known is None else known % g.ndim
        lengths = stack([x.shape[at] for x in parts])
        gs = Split(len(parts))(g, axis, lengths, return_list=True)
        gs = [patternbroadcast(p, x.broadcastable) for p, x in zip(gs, parts, strict=True)]
        return [disconnected(), *gs]

    def __str__(self) -> str:
        return "Join" if self.view == -1 else f"Join{{view={self.view}}}"


def _joined_length(node: Apply) -> int | None:
    results = [vector_length(v) for v in node.inputs[1:]]
    return None if None in results else sum(n for n in results if n is not None)


def _joined_entries(node: Apply) -> list[Any] | None:
    if _joined_length(node) is None:
        return None
    return [e for v in node.inputs[1:] for e in vector_entries(v, vector_length(v) or 0)]


VECTOR_LENGTHS[Join] = _joined_length
VECTOR_ENTRIES[Join] = _joined_entries
join_ = Join()


@documented_in("theano.tensor.basic")
def join(axis: IntLike, *tensors_list: TensorLike) -> Any:
    """Concatenate arrays along an axis.

    Parameters
    ----------
    axis : int or integer scalar
        The dimension to join along. If it is symbolic, no dimension of the result is
        broadcastable.
    *tensors_list : tensor_like
        All with the same number of dimensions, and the same lengths except along ``axis``.

    Raises
    ------
    TypeError
        If the numbers of dimensions differ, or are 0.
    ValueError
        When the function runs, if lengths differ.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.join(1, [[1], [2]], [[3], [4]]).eval().tolist()
    [[1, 3], [2, 4]]
    """
    if len(tensors_list) == 1:
        return as_tensor_variable(tensors_list[0])
    return join_(axis, *tensors_list)


@documented_in("theano.tensor.basic")
class Split(Op):
    """Split an array along an axis into ``len_splits`` parts of the lengths in the last input."""

    __props__ = ("len_splits",)
    demand_only = (1, 2)
    linear_in = (0,)
    nondiff_inputs = (1, 2)

    def __init__(self, len_splits: int) -> None:
        self.len_splits = int(len_splits)
        if self.len_splits < 1:
            raise ValueError(f"Split takes at least one part, got {len_splits}")
        self.view_map = {i: [0] for i in range(self.len_splits)}

    def make_node(self, x: TensorLike, axis: TensorLike, splits: TensorLike) -> Apply:
        x, splits = as_tensor_variable(x), as_tensor_variable(splits)
        if splits.ndim != 1 or splits.dtype not in integer_dtypes:
            raise TypeError(
                f"{self} takes a vector of integers as lengths, got {splits} of {splits.type}"
            )
        if x.ndim == 0:
            raise TypeError(f"{self} takes an array with dimensions, got {x} of {x.type}")
        axis = axis_scalar(str(self), axis)
        known, n = known_int(axis), vector_length(splits)
        if known is not None and not -x.ndim <= known < x.ndim:
            raise ValueError(
                f"{self} takes an axis from {-x.ndim} to {x.ndim - 1} for {x}, got {known}"
            )
        if n is not None and n != self.len_splits:
            raise ValueError(f"{self} takes {self.len_splits} lengths, got {n}: {splits}")
        pattern = tuple(
            b and known is not None and d != known % x.ndim for d, b in enumerate(x.broadcastable)
        )
        parts = [tensor_type(x.dtype, pattern)() for _ in range(self.len_splits)]
        return Apply(self, [x, axis, splits], parts)

    def compute(self, xp: ArrayNamespace, x: Array, axis: Array, splits: Array) -> Any:
        self._check_number(len(splits))
        return self._split(x, int(axis), splits.tolist())

    def _check_number(self, n: int) -> None:
        if n != self.len_splits:
            raise ValueError(f"{self} takes {self.len_splits} lengths, got {n}")

    def _split(self, x: Array, axis: int, lengths: Sequence[int]) -> Any:
        if not -x.ndim <= axis < x.ndim:
            raise ValueError(f"{self} has no axis {axis} to split in an array of shape {x.shape}")
        if min(lengths) < 0:
            raise ValueError(f"{self} takes lengths from 0, got {lengths}")
        axis %= x.ndim
        if sum(lengths) != x.shape[axis]:
            raise ValueError(
                f"The splits sum to {sum(lengths)}, expected {x.shape[axis]}: {self} by {lengths} "
                f"of an array of shape {x.shape} along axis {axis}"
            )
        parts, start = [], 0
        for n in lengths:
            parts.append(x[(slice(None),) * axis + (slice(start, start + n),)])
            start += n
        return parts[0] if self.len_splits == 1 else tuple(parts)

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        _, axis, splits = node.inputs
        lengths = vector_entries(splits, self.len_splits)
        # a vector may hold more lengths than len_splits
        return [as_length(n) for n in (axis, shapes[2][0], *lengths)]

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        axis, n, *lengths = sizes
        self._check_number(n)
        return self._split(inputs[0], axis, lengths)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        _, axis, splits = node.inputs
        lengths = vector_entries(splits, self.len_splits)
        return [length_along(axis, len(shapes[0]), shapes[0], as_length(n)) for n in lengths]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        x, axis, splits = inputs
        at = None if any(is_batched[1:]) else known_int(axis)
        return None if at is None else self(x, at % (x.ndim - 1) + 1, splits, return_list=True)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        _, axis, _ = inputs
        gs = [
            y.zeros_like() if isinstance(g.type, DisconnectedType) else g
            for y, g in zip(outputs, output_grads, strict=True)
        ]
        gx = patternbroadcast(join(axis, *gs), inputs[0].broadcastable)
        return [gx, disconnected(), disconnected()]

    def __str__(self) -> str:
        return f"Split{{{self.len_splits}}}"


@documented_in("theano.tensor.basic")
def concatenate(tensor_list: Sequence[Any], axis: IntLike = 0) -> Any:
    """Concatenate arrays along an axis: ``join`` with NumPy's signature.

    Parameters
    ----------
    tensor_list : list or tuple of tensor_like
    axis : int or integer scalar

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.concatenate([[1, 2], [3]]).eval().tolist()
    [1, 2, 3]
    """
    if not isinstance(tensor_list, (list, tuple)):
        raise TypeError(
            f"concatenate takes a list or tuple of tensors, got {tensor_list!r}; put () or [] "
            "around the tensors"
        )
    return join(axis, *tensor_list)


@documented_in("theano.tensor.basic")
def stack(*tensors: Any, **kwargs: Any) -> Any:
    """Stack arrays of the same shape along a new dimension: ``stack(tensors, axis=0)``.

    Parameters
    ----------
    tensors : list or tuple of tensor_like
        Passing each tensor as an argument of its own is deprecated.
    **kwargs
        ``axis``, the position of the new dimension in the result.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.stack([[1, 2], [3, 4]], axis=1).eval().tolist()
    [[1, 3], [2, 4]]
    """
    given = list(tensors)
    if "tensors" in kwargs:
        given.insert(0, kwargs.pop("tensors"))
    if given and isinstance(given[0], (list, tuple)):
        parts = list(given[0])
        axis = given[1] if len(given) == 2 else kwargs.pop("axis", 0)
        too_many = len(given) > 2
    else:
        parts, axis, too_many = given, kwargs.pop("axis", 0), False
        if parts:
            warn_user(
                "stack(*tensors) is deprecated, use stack(tensors, axis=0)", DeprecationWarning
            )
    if kwargs or too_many:
        raise TypeError(f"stack takes tensors and axis, got {[*given[1:], *kwargs]} too")
    if not parts:
        raise ValueError("tensors is empty: stack takes at least one tensor")
    ins = [as_tensor_variable(x) for x in parts]
    if all(x.ndim == 0 for x in ins):
        if axis not in (0, -1):
            raise IndexError(f"stack of scalars takes axis 0, got {axis}")
        return MakeVector(upcast(*[x.dtype for x in ins]))(*ins)
    return join(axis, *[shape_padaxis(x, axis) for x in ins])


@documented_in("theano.tensor.basic")
def stacklists(arg: TensorLike) -> Any:
    """Stack the tensors in the nested lists ``arg``; each level of nesting is a dimension.

    Examples
    --------
    >>> import theano.tensor as T
    >>> a, b = T.dscalars("ab")
    >>> T.stacklists([[a, b], [b, a]]).eval({a: 1, b: 2}).tolist()
    [[1.0, 2.0], [2.0, 1.0]]
    """
    if isinstance(arg, (list, tuple)):
        return stack([stacklists(a) for a in arg])
    return arg


def _has_variables(x: Sequence[object]) -> bool:
    return any(
        isinstance(e, Variable) or (isinstance(e, (list, tuple)) and _has_variables(e)) for e in x
    )


def _from_list(x: object) -> Any:
    return stack(list(x)) if isinstance(x, (list, tuple)) and _has_variables(x) else None


CONVERTERS.append(_from_list)


@documented_in("theano.tensor.basic")
def vertical_stack(*args: TensorLike) -> Any:
    """Concatenate the matrices ``args`` vertically, along axis 0.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.vertical_stack([[1, 2]], [[3, 4]]).eval().tolist()
    [[1, 2], [3, 4]]
    """
    return concatenate(_matrices("vertical_stack", args), axis=0)


@documented_in("theano.tensor.basic")
def horizontal_stack(*args: TensorLike) -> Any:
    """Concatenate the matrices ``args`` horizontally, along axis 1.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.horizontal_stack([[1, 2]], [[3, 4]]).eval().tolist()
    [[1, 2, 3, 4]]
    """
    return concatenate(_matrices("horizontal_stack", args), axis=1)


def _matrices(who: str, args: Sequence[Any]) -> list[Any]:
    results = [as_tensor_variable(a) for a in args]
    if len(results) < 2 or any(a.ndim != 2 for a in results):
        raise TypeError(f"{who} takes two matrices or more, got {[a.type for a in results]}")
    return results
