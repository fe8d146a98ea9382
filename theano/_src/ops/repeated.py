"""What ops need to state their form over many rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.ops.alloc import alloc, lengths_of
from theano._src.ops.dims import dimshuffle, patternbroadcast
from theano._src.ops.shape import shape_i


def row_count(inputs: Sequence[Any], moved: Sequence[bool]) -> Any:
    """How many rows there are."""
    return shape_i(inputs[list(moved).index(True)], 0)


def repeated(x: Any, n: Any) -> Any:
    """One value for all of ``n`` rows, as rows."""
    return patternbroadcast(alloc(x, n, *lengths_of(x)), (False, *x.type.broadcastable))


def all_as_rows(inputs: Sequence[Any], moved: Sequence[bool], n: Any) -> list[Any]:
    """The inputs as rows, those that are one value for all rows repeated."""
    return [x if m else repeated(x, n) for x, m in zip(inputs, moved, strict=True)]


def rows_padded(x: Any, ndim: int) -> Any:
    """Rows of ``x`` with broadcastable dimensions in front of theirs, up to ``ndim`` of them."""
    missing = ndim + 1 - x.ndim
    return dimshuffle(x, 0, *["x"] * missing, *range(1, x.ndim)) if missing else x
