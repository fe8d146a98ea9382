"""Helpers for batching rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.graph.graph import Variable
from theano._src.ops.shape.alloc import alloc, lengths_of
from theano._src.ops.shape.dims import dimshuffle, patternbroadcast
from theano._src.ops.shape.shape import shape_i
from theano._src.types.aliases import IntLike
from theano._src.types.tensor import TensorVariable


def batch_size(inputs: Sequence[Any], is_batched: Sequence[bool]) -> Any:
    """Return the length of the batch dimension, read from the first batched input."""
    return shape_i(inputs[list(is_batched).index(True)], 0)


def repeat_batched(x: Variable, n: IntLike) -> Any:
    """Repeat ``x`` ``n`` times along a new first dimension."""
    return patternbroadcast(alloc(x, n, *lengths_of(x)), (False, *x.type.broadcastable))


def all_batched(inputs: Sequence[Any], is_batched: Sequence[bool], n: IntLike) -> list[Any]:
    """Return all inputs with a batch dimension in front; unbatched ones are repeated."""
    return [x if m else repeat_batched(x, n) for x, m in zip(inputs, is_batched, strict=True)]


def pad_batched(x: TensorVariable, ndim: int) -> Any:
    """Pad each item of a batch ``x`` on the left with broadcastable dimensions to ``ndim``."""
    missing = ndim + 1 - x.ndim
    return dimshuffle(x, 0, *["x"] * missing, *range(1, x.ndim)) if missing else x
