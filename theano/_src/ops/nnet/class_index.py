"""Checks and indexing by class number, shared by the crossentropy ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ops.core.cast import cast
from theano._src.ops.index.advanced import advanced_subtensor
from theano._src.ops.index.index_list import all_within, from_front, signed
from theano._src.ops.shape.ranges import arange
from theano._src.ops.shape.shape import shape_i
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import discrete_dtypes, float_dtypes
from theano._src.types.tensor import TensorVariable


def floats(who: Op, what: str, given: TensorLike, ndim: int) -> TensorVariable:
    """Convert to a tensor; raise ValueError unless it holds floats in ``ndim`` dimensions."""
    x = as_tensor_variable(given)
    if x.ndim != ndim or x.dtype not in float_dtypes:
        raise ValueError(f"{who} takes a {ndim}-d tensor of floats as {what}, got {x} of {x.type}")
    return x


def classes(who: Op, given: TensorLike) -> TensorVariable:
    """Convert to a tensor; raise ValueError unless it is a vector of integers."""
    y = as_tensor_variable(given)
    if y.ndim != 1 or y.dtype not in discrete_dtypes:
        raise ValueError(f"{who} takes a vector of integers as y_idx, got {y} of {y.type}")
    return y


def picked(x: TensorVariable, y: TensorVariable) -> Any:
    """Return ``x[i, y[i]]`` for each ``i`` in ``range(len(y))``."""
    return advanced_subtensor(x, arange(shape_i(y, 0)), cast(y, "int64"))


class OfClasses(Op):
    """Base class of ops that take one class, a column index, for each row of a matrix.

    If ``indexed``, classes follow NumPy's ``x[arange(len(y)), y]``: negative ones count from the
    end, and rows after ``len(y)`` are left out. Otherwise there must be one class for each row.
    """

    __props__: ClassVar[tuple[str, ...]] = ("indexed",)

    def __init__(self, indexed: bool = False) -> None:
        self.indexed = bool(indexed)

    def agree(self, shape: Sequence[int], y: Array) -> None:
        """Raise an error unless these classes are valid for a matrix of this shape."""
        (n, k), count = shape, y.shape[0]
        if self.indexed and count > n:
            raise IndexError(f"index {count - 1} is out of bounds for axis 0 with size {n}")
        if not self.indexed and count != n:
            raise ValueError(
                f"{self} takes y_idx with as many rows as x, got {count} classes for {n} rows"
            )
        if not count:
            return
        low, high = int(y.min()), int(y.max())
        if self.indexed and (low < -k or high >= k):
            worst = high if high >= k else low
            raise IndexError(f"index {worst} is out of bounds for axis 1 with size {k}")
        if not self.indexed and (low < 0 or high >= k):
            raise ValueError(
                f"{self}: y_i value out of bounds: it takes classes from 0 to {k - 1}, got "
                f"{high if high >= k else low}"
            )

    def in_bounds(self, xp: ArrayNamespace, y: Array, k: int) -> list[Any]:
        """Return the result of ``checks``: whether all classes are valid for ``k`` columns."""
        return [all_within(xp, y, -k if self.indexed else 0, k)]

    def columns(self, xp: ArrayNamespace, y: Array, k: int) -> Any:
        """Return the column of each class."""
        return from_front(xp, y, k) if self.indexed else signed(xp, y, k)

    def mask(self, xp: ArrayNamespace, y: Array, shape: Sequence[int]) -> Any:
        """Return a boolean matrix that is true at the class of each row."""
        n, k = shape
        # int32 is compared twice as fast as int64
        y = xp.astype(self.columns(xp, y, k), "int32")
        count = y.shape[0]
        if count != n:  # fewer classes than rows
            y = xp.concatenate([y, xp.full((n - count,), -1, dtype="int32")])
        return xp.arange(k, dtype="int32")[None, :] == y[:, None]

    def __str__(self) -> str:
        return type(self).__name__ + ("{indexed}" if self.indexed else "")
