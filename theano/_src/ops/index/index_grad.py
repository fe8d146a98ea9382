"""Helpers for derivatives of indexing and of writing by index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Constant, Variable
from theano._src.graph.op import Op
from theano._src.ops.elementwise.compare import eq, switch
from theano._src.ops.reduce.careduce import sum as sum_
from theano._src.ops.shape.alloc import alloc, lengths_of, sum_to_lengths
from theano._src.ops.shape.dims import dimshuffle, patternbroadcast
from theano._src.ops.shape.ranges import arange
from theano._src.ops.shape.shape import reshape, shape_i
from theano._src.ops.shape.static_values import product
from theano._src.types.convert import constant
from theano._src.types.dtypes import discrete_dtypes
from theano._src.types.null import DisconnectedType
from theano._src.types.tensor import TensorVariable


def writeable(x: np.ndarray[Any, Any], inplace: bool) -> np.ndarray[Any, Any]:
    """Return ``x`` if ``inplace`` and ``x`` is writeable, else a copy."""
    if inplace and x.flags.writeable:
        return x
    return np.array(x, copy=True, order="K", subok=False)


def unstretched(g: TensorVariable, y: TensorVariable) -> Any:
    """The gradient of ``y``, given that of the part to which it was broadcast."""
    if g.ndim > y.ndim:
        g = sum_(g, axis=list(range(g.ndim - y.ndim)))
    pairs = list(enumerate(zip(g.broadcastable, y.broadcastable, strict=True)))
    axes = [d for d, (one, wanted) in pairs if wanted and not one]
    if axes:
        g = sum_(g, axis=axes, keepdims=True)
    if not all(one or wanted for _, (one, wanted) in pairs):
        g = sum_to_lengths(g, *lengths_of(y))
    return patternbroadcast(g, y.broadcastable)


def last_written(put: Op, get: Op, g: TensorVariable, index: Sequence[Any]) -> Any:
    """``g[index]``, but 0 for values that were overwritten later at the same position."""
    part = get(g, *index)
    lengths = lengths_of(part)
    numbers = reshape(arange(product(lengths)), lengths, ndim=part.ndim)
    numbers = patternbroadcast(numbers, part.broadcastable)
    whole = patternbroadcast(alloc(np.int64(0), *lengths_of(g)), g.broadcastable)
    kept = eq(get(put(whole, numbers, *index), *index), numbers)
    return switch(kept, part, zero_like(g))


def last_written_rows(put: Op, get: Op, g: TensorVariable, i: TensorVariable) -> Any:
    """``last_written`` for a vector of row indices, where numbering the rows is enough."""
    part = get(g, i)
    if each_once(i):
        return part
    numbers = patternbroadcast(arange(shape_i(i, 0)), i.broadcastable)
    kept = eq(get(put(alloc(np.int64(0), shape_i(g, 0)), numbers, i), i), numbers)
    return switch(dimshuffle(kept, 0, *["x"] * (g.ndim - 1)), part, zero_like(g))


def each_once(i: Variable) -> bool:
    """Whether the graph shows that no row occurs twice."""
    if not isinstance(i, Constant):
        return False
    # NOTE: -1 and n - 1 are the same row
    mixed = bool(np.any(i.data < 0) and np.any(i.data >= 0))
    return not mixed and len(np.unique(i.data)) == i.data.size


def zero_like(x: TensorVariable) -> Any:
    """A scalar 0 with the dtype of ``x``."""
    return constant(np.zeros((), x.dtype))


def is_zero_tangent(dx: Variable | None) -> bool:
    """Whether an evaluation point of R_op is missing or disconnected, that is, zero."""
    return dx is None or isinstance(dx.type, DisconnectedType)


def written_forward(op: Op, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
    """R_op of an op that writes its second input into its first: it writes the tangents."""
    (x, _, *index), (dx, dy, *_) = inputs, eval_points
    if x.dtype in discrete_dtypes or (is_zero_tangent(dx) and is_zero_tangent(dy)):
        return [None]
    dx = x.zeros_like() if is_zero_tangent(dx) else dx
    return [op(dx, zero_like(x) if is_zero_tangent(dy) else dy, *index)]
