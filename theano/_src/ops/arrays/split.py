"""Splitting, rolling and tiling arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ground.length_numbers import are_numbers
from theano._src.ops.elementwise.arithmetic import neg, sub
from theano._src.ops.elementwise.compare import ge
from theano._src.ops.meta.misc import Assert
from theano._src.ops.shape.alloc import alloc
from theano._src.ops.shape.dims import dimshuffle, shape_padleft
from theano._src.ops.shape.join import Split, join
from theano._src.ops.shape.shape import reshape, shape_i_op
from theano._src.ops.shape.static_values import as_length, product, vector_entries, vector_length
from theano._src.types.aliases import IntLike, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import integer_dtypes
from theano._src.types.null import disconnected
from theano._src.types.tensor import TensorCall, TensorVariable


@documented_in("theano.tensor.basic")
def split(x: TensorLike, splits_size: TensorLike, n_splits: int, axis: IntLike = 0) -> Any:
    """Split an array along an axis into parts of given lengths.

    Parameters
    ----------
    x : tensor_like
    splits_size : integer vector
        The lengths of the parts, which add up to that of ``x``.
    n_splits : int
        The number of parts.
    axis : int or integer scalar

    Returns
    -------
    list of TensorVariable
        If ``n_splits`` is 1, the single part itself.

    Examples
    --------
    >>> import theano.tensor as T
    >>> a, b = T.split(T.arange(5), [2, 3], 2)
    >>> b.eval().tolist()
    [2, 3, 4]
    """
    return Split(n_splits)(x, axis, splits_size)


class Roll(Op):
    """Elements shifted along an axis; elements that leave at the end return at the beginning.

    This is one op, not two joined slices, so that one program can serve any shift.
    """

    __call__: TensorCall

    __props__ = ("axis",)
    shape_like = 0
    linear_in = (0,)
    nondiff_inputs = (1,)

    def __init__(self, axis: int | None = None) -> None:
        self.axis = axis

    def make_node(self, x: TensorLike, shift: TensorLike) -> Apply:
        x, shift = as_tensor_variable(x), as_tensor_variable(shift)
        if shift.ndim != 0 or shift.dtype not in integer_dtypes:
            raise TypeError(f"roll takes an integer scalar as shift, got {shift} of {shift.type}")
        if self.axis is not None and not 0 <= self.axis < x.ndim:
            raise IndexError(f"roll takes an axis from 0 to {x.ndim - 1}, got {self.axis}")
        return Apply(self, [x, shift], [x.type()])

    def compute(self, xp: ArrayNamespace, x: Array, shift: Array) -> Any:
        n = math.prod(x.shape) if self.axis is None else x.shape[self.axis]
        if are_numbers(n):
            # a shift below the length fits any dtype that jax chooses
            wide = "uint64" if shift.dtype == "uint64" else "int64"
            shift = xp.astype(xp.astype(shift, wide) % np.asarray(max(1, n), wide), "int64")
        return xp.roll(x, shift, axis=self.axis)

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        x, shift = inputs
        return None if is_batched[1] or self.axis is None else [Roll(self.axis + 1)(x, shift)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (_, shift), (g,) = inputs, output_grads
        return [self(g, neg(as_length(shift))), disconnected()]


@documented_in("theano.tensor.basic")
def roll(x: TensorLike, shift: IntLike, axis: int | None = None) -> TensorVariable:
    """Shift elements along an axis; elements that leave at the end return at the beginning.

    Parameters
    ----------
    x : tensor_like
    shift : int or integer scalar
        The number of positions; a negative shift moves towards the beginning.
    axis : int, optional
        By default the elements are shifted in the flattened array.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.roll(T.arange(4), 1).eval().tolist()
    [3, 0, 1, 2]
    """
    x = as_tensor_variable(x)
    if axis is not None and -x.ndim <= axis < 0:
        axis += x.ndim
    return Roll(axis)(x, shift)


@documented_in("theano.tensor.basic")
def tile(x: TensorLike, reps: TensorLike, ndim: int | None = None) -> Any:
    """Repeat ``x`` as a whole along its dimensions.

    Parameters
    ----------
    x : tensor_like
    reps : int, integer scalar, sequence of them, or integer vector
        The number of copies along each dimension. If there are fewer than dimensions, they are
        for the last ones; if there are more, the result has more dimensions.
    ndim : int, optional
        The number of dimensions of the result; required if ``reps`` is a vector.

    Raises
    ------
    ValueError
        If ``ndim`` is too small for ``x`` or ``reps``, or ``reps`` are not integers.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.tile([1, 2], (2, 2)).eval().tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    x = as_tensor_variable(x)
    if ndim is not None and ndim < x.ndim:
        raise ValueError(f"tile takes an ndim from {x.ndim}, the dimensions of {x}, got {ndim}")
    counts = _counts(reps, ndim, x.ndim)
    n = len(counts)
    x = shape_padleft(x, n - x.ndim) if n > x.ndim else x
    if n == 0:
        return x
    lengths = [1 if b else shape_i_op(i)(x) for i, b in enumerate(x.broadcastable)]
    spread = dimshuffle(x, *[o for i in range(n) for o in ("x", i)])
    pairs = zip(counts, lengths, strict=True)
    copies = alloc(spread, *[k for pair in pairs for k in pair])
    pairs = zip(counts, lengths, strict=True)
    return reshape(copies, [product([as_length(c), as_length(k)]) for c, k in pairs])


def _counts(reps: TensorLike, ndim: int | None, least: int) -> list[Any]:
    """One count for each dimension of the result of ``tile``."""
    if isinstance(reps, (list, tuple)):
        given: Sequence[Any] = reps
    else:
        v = as_tensor_variable(reps)
        if v.ndim == 1:
            if ndim is None:
                raise ValueError(f"tile takes ndim too if reps is a vector, got {v}")
            n = vector_length(v)
            if n is None:
                # ones in front of reps
                missing = sub(as_length(ndim), shape_i_op(0)(v))
                fits = Assert(f"tile with ndim={ndim} takes at most as many reps")
                missing = fits(missing, ge(missing, as_length(0)))
                v, n = join(0, alloc(np.ones((), v.dtype), missing), v), ndim
            given = vector_entries(v, n)
        else:
            given = [v]
    results = [as_tensor_variable(r) for r in given]
    for r in results:
        if r.ndim != 0 or r.dtype not in integer_dtypes:
            raise ValueError(f"tile takes integer scalars in reps, got {r} of {r.type}")
    if ndim is not None and len(results) > ndim:
        raise ValueError(f"tile with ndim={ndim} takes at most as many reps, got {len(results)}")
    return [as_length(1)] * (max(least, ndim or 0) - len(results)) + results
