"""Slices as values in a graph: built from integers and used as an index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.ground.documented import documented_in
from theano._src.ops.shape.shape import shape_i
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import integer_dtypes
from theano._src.types.null import disconnected
from theano._src.types.other import NoneConst, SliceType, is_none, slicetype
from theano._src.types.tensor import TensorVariable, tensor_type


@documented_in("theano.tensor.type_other")
def as_int_none_variable(x: TensorLike) -> Any:
    """Return ``x`` as a 0-d integer variable; None becomes a copy of NoneConst.

    >>> import theano.tensor as T
    >>> T.type_other.as_int_none_variable(None), T.type_other.as_int_none_variable(3).type
    (NoneConst, TensorType(int8, scalar))
    """
    if x is None:
        return NoneConst.clone()
    if is_none(x):
        return x
    x = as_tensor_variable(x, ndim=0)
    if x.dtype not in integer_dtypes:
        raise TypeError(f"a slice takes integers or None, got {x} of dtype {x.dtype}")
    return x


@documented_in("theano.tensor.type_other")
class MakeSlice(Op):
    """``slice(start, stop, step)`` from integers or None, or from a Python slice.

    >>> import theano.tensor as T
    >>> T.make_slice(slice(None, 3)).eval()
    slice(None, 3, None)
    """

    __props__ = ()
    runs_on = "host"
    nondiff_inputs = slice(None)

    def make_node(self, slc: TensorLike, stop: TensorLike = None, step: TensorLike = None) -> Apply:
        if isinstance(slc, slice):
            if not (stop is None and step is None):
                raise TypeError(f"{self} takes a slice alone or its parts, got both")
            parts = slc.start, slc.stop, slc.step
        else:
            parts = slc, stop, step
        return Apply(self, [as_int_none_variable(p) for p in parts], [slicetype()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = slice(*inputs)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [disconnected() for _ in inputs]


class SliceParts(Op):
    """Start, stop and step of a slice of a dimension of length n, as three integers.

    Used as a slice they mean the same: for a negative step, a position before the first element
    is written as -n - 1, as -1 would be the last element.
    """

    __props__ = ()
    runs_on = "host"
    nondiff_inputs = slice(None)

    def make_node(self, s: Variable, n: TensorLike) -> Apply:
        n = as_tensor_variable(n)
        return Apply(self, [s, n], [tensor_type("int64", ())() for _ in range(3)])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        s, n = inputs
        start, stop, step = s.indices(int(n))
        if step < 0:
            start, stop = (p if p >= 0 else -int(n) - 1 for p in (start, stop))
        for cell, part in zip(output_storage, (start, stop, step), strict=True):
            cell[0] = np.asarray(part, "int64")

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [(), (), ()]


make_slice = MakeSlice()
_slice_parts = SliceParts()


def is_slice_variable(entry: object) -> bool:
    """Whether an entry of an index is a variable that holds a slice."""
    return isinstance(entry, Variable) and isinstance(entry.type, SliceType)


def read_slice_variable(x: TensorVariable, axis: int, s: Variable) -> slice:
    """Return the slice in the variable ``s`` as a Python slice of integer variables."""
    if isinstance(s, Constant):
        return s.data  # type: ignore[no-any-return]
    if s.owner is not None and isinstance(s.owner.op, MakeSlice):
        return slice(*(None if is_none(p) else p for p in s.owner.inputs))
    return slice(*_slice_parts(s, shape_i(x, axis)))


def with_slices(x: TensorVariable, entries: Iterable[Any]) -> list[Any]:
    """Replace variables that hold slices, in an index of ``x``, by Python slices."""
    axis, results = 0, []
    for e in entries:
        results.append(read_slice_variable(x, axis, e) if is_slice_variable(e) else e)
        masks = isinstance(e, Variable) and getattr(e.type, "dtype", None) == "bool"
        axis += e.ndim if masks else (e is not None and e is not Ellipsis)
    return results
