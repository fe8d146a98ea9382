"""Sparse outputs whose positions are constants: exported C writes their stored elements."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from theano._src.engines.native.forms.shape import entries, same
from theano._src.engines.native.ir import integer
from theano._src.engines.native.loops import NotNative
from theano._src.engines.native.lowering import Lowering
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.ops.core.cast import Cast
from theano._src.ops.meta.misc import DeepCopyOp
from theano._src.ops.sparse.csm import CSM
from theano._src.types.sparse import SparseType


class Pattern(NamedTuple):
    """The positions of stored elements: csr, or csc with rows and columns exchanged."""

    format: str
    indptr: np.ndarray
    indices: np.ndarray

    def __str__(self) -> str:
        lines = "rows" if self.format == "csr" else "columns"
        count, stored = len(self.indptr) - 1, len(self.indices)
        return f"{self.format} matrix of {count} {lines} and {stored} elements"


def pattern_of(v: Variable) -> Pattern | None:
    """The pattern of a sparse variable, if it is known when the graph is built."""
    source = _before_copies(v)
    if isinstance(source, Constant) and isinstance(source.type, SparseType):
        return Pattern(source.type.format, source.data.indptr, source.data.indices)
    node = source.owner
    if node is None or not isinstance(node.op, CSM):
        return None
    _, indices, indptr, _ = node.inputs
    if not isinstance(indices, Constant) or not isinstance(indptr, Constant):
        return None
    return Pattern(node.op.format, indptr.data, indices.data)


def elements_of(v: Variable) -> Variable | None:
    """The vector of stored elements of a sparse variable, if it is a variable of the graph."""
    node = _before_copies(v).owner
    return node.inputs[0] if node is not None and isinstance(node.op, CSM) else None


def _before_copies(v: Variable) -> Variable:
    while v.owner is not None and isinstance(v.owner.op, DeepCopyOp):
        v = v.owner.inputs[0]
    return v


def copied(low: Lowering, node: Apply) -> None:
    """DeepCopyOp, of sparse constants and variables too."""
    (v,), (out,) = node.inputs, node.outputs
    if not isinstance(v.type, SparseType):
        same(low, node)
        return
    if not isinstance(v, Constant):
        low.set(out, replace(low.array(v)))
        return
    data = v.data.data
    with low.at(0):
        pointer = low.main.address(low.addresses.place(("constant", id(v)), data.ctypes.data, data))
    low.set(out, low.whole(data.dtype, pointer, [integer(len(data))], 0))


def matrix(low: Lowering, node: Apply) -> None:
    """CSM: its elements; the program stops where they do not fit the positions."""
    pattern = pattern_of(node.outputs[0])
    if pattern is None:
        raise NotNative("the positions of its elements are computed: give the pattern")
    data, shape = node.inputs[0], node.inputs[3]
    array, lengths = low.array(data), low.array(_before_cast(shape))
    rows, columns = entries(low, lengths, 2)
    if pattern.format == "csc":
        rows, columns = columns, rows
    level = max(array.level, lengths.level)
    stored, least = len(pattern.indices), int(pattern.indices.max(initial=-1)) + 1
    low.require_equal(array.lengths[0], integer(stored), level)
    with low.at(level):
        low.stop_if(low.main.compare("ne", rows, integer(len(pattern.indptr) - 1)))
        low.stop_if(low.main.compare("lt", columns, integer(least)))
    if array.number is None:
        low.memory(array)
    low.set(node.outputs[0], replace(array, nest=None, owned=False))


def _before_cast(v: Any) -> Variable:
    """The lengths as they were before a cast to int32."""
    result: Variable = v
    while isinstance(getattr(getattr(result.owner, "op", None), "scalar_op", None), Cast):
        result = result.owner.inputs[0]  # type: ignore[union-attr]
    return result
