"""Selecting elements: take, choose, nonzero, compress, repeat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.core.dimshuffle import pad_left
from theano._src.ops.elementwise.arithmetic import clip, mod, mul, sub
from theano._src.ops.elementwise.compare import eq, neq, switch
from theano._src.ops.index.advanced import aligned, common_length
from theano._src.ops.index.index import getitem, inc_subtensor
from theano._src.ops.index.index_grad import is_zero_tangent, unstretched, zero_like
from theano._src.ops.index.index_list import FULL, all_within, as_array_index
from theano._src.ops.index.slices import int64
from theano._src.ops.reduce.careduce import sum as sum_
from theano._src.ops.shape.alloc import alloc, lengths_of, stretched
from theano._src.ops.shape.dims import dimshuffle, patternbroadcast
from theano._src.ops.shape.ranges import arange
from theano._src.ops.shape.shape import flatten, reshape
from theano._src.ops.shape.static_values import known_int, product
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import discrete_dtypes, integer_dtypes, upcast
from theano._src.types.null import disconnected, grad_undefined
from theano._src.types.tensor import TensorCall, TensorVariable, tensor_type

_MODES = ("raise", "wrap", "clip")


def _mode(who: str, mode: str) -> str:
    if mode not in _MODES:
        raise ValueError(f"{who} takes 'raise', 'wrap' or 'clip' as mode, got {mode!r}")
    return mode


@documented_in("theano.tensor.subtensor")
def take(a: TensorLike, indices: TensorLike, axis: int | None = None, mode: str = "raise") -> Any:
    """Elements of ``a`` along one dimension, or of the flattened ``a``.

    Parameters
    ----------
    a : tensor
    indices : integer tensor
    axis : int, optional
        None takes elements of the flattened ``a``.
    mode : {'raise', 'wrap', 'clip'}
        How to handle an index out of range.

    >>> import theano.tensor as T
    >>> T.take(T.constant([[1, 2], [3, 4]]), [3, 0]).eval().tolist()
    [4, 1]
    """
    x, indices = as_tensor_variable(a), as_array_index(indices)
    if indices.type.dtype not in integer_dtypes:
        raise TypeError(f"take takes integers as indices, got {indices} of {indices.type.dtype}")
    _mode("take", mode)
    if axis is None:
        x, axis = flatten(x), 0
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"take takes one of {x.ndim} dimensions, got axis {axis} of {x}")
    axis %= x.ndim
    n = x.shape[axis] if mode != "raise" else None
    if mode == "wrap":
        indices = mod(cast(indices, "int64"), n)
    elif mode == "clip":
        indices = clip(cast(indices, "int64"), int64(0), sub(n, int64(1)))
    return getitem(x, (*[FULL] * axis, indices))


@documented_in("theano.tensor.basic")
class Choose(Op):
    """Each element from the choice whose number is in ``a``; all inputs broadcast together.

    Each choice is an input; a single input holds the choices along its first dimension.
    """

    __call__: TensorCall

    __props__ = ("mode",)
    nondiff_inputs = (0,)

    def __init__(self, mode: str = "raise") -> None:
        self.mode = _mode("Choose", mode)

    def make_node(self, a: TensorLike, *choices: TensorLike) -> Apply:
        a = as_tensor_variable(a)
        if a.dtype not in discrete_dtypes:
            raise TypeError(f"choose first argument must have an [u]int* dtype. Got {a.dtype}.")
        results = [as_tensor_variable(c) for c in choices]
        if not results:
            raise ValueError("choose takes at least one choice, got none")
        if len(results) == 1 and results[0].ndim == 0:
            raise TypeError(f"choose takes a sequence of choices, got {results[0]}, a scalar")
        patterns = [c.broadcastable for c in results]
        patterns = [patterns[0][1:]] if len(results) == 1 else patterns
        pattern = tuple(all(b) for b in aligned([a.broadcastable, *patterns]))
        dtype = upcast(*[c.dtype for c in results])
        return Apply(self, [a, *results], [tensor_type(dtype, pattern)()])

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        a, *choices = inputs
        n = len(choices[0]) if len(choices) == 1 else len(choices)
        if n == 0:
            raise ValueError("choose takes at least one choice, got none")
        if self.mode == "raise" and np.any((a < 0) | (a >= n)):
            raise ValueError(
                f"invalid entry in choice array: choose takes 0 to {n - 1}, got {np.min(a)} to "
                f"{np.max(a)}; mode 'wrap' or 'clip' brings them in range"
            )

    def compute(self, xp: ArrayNamespace, a: Array, *choices: Array) -> Any:
        n = choices[0].shape[0] if len(choices) == 1 else len(choices)
        a = xp.astype(xp.asarray(a), "int64")
        if self.mode == "wrap":
            a = a % n
        elif self.mode == "clip":
            a = xp.minimum(xp.maximum(a, 0), n - 1)
        if len(choices) > 1:
            dtype = upcast(*[np.dtype(c.dtype).name for c in choices])
            a, *choices = xp.broadcast_arrays(a, *[xp.astype(c, dtype) for c in choices])
            # NumPy's choose takes at most 64 choices
            stacked = xp.stack(choices)
        else:
            shape = np.broadcast_shapes(a.shape, choices[0].shape[1:])
            a = xp.broadcast_to(a, shape)
            missing = len(shape) - choices[0].ndim + 1
            stacked = choices[0].reshape((n,) + (1,) * missing + choices[0].shape[1:])
            stacked = xp.broadcast_to(stacked, (n, *shape))
        return xp.take_along_axis(stacked, a[None], axis=0)[0]

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        a, *choices = inputs
        n = choices[0].shape[0] if len(choices) == 1 else len(choices)
        return [all_within(xp, a, 0, n)] if self.mode == "raise" else []

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        pairs = [
            list(zip(shape, v.type.broadcastable, strict=True))
            for shape, v in zip(shapes, node.inputs, strict=True)
        ]
        if len(pairs) == 2:
            pairs[1] = pairs[1][1:]
        return [tuple(common_length(dims) for dims in aligned(pairs))]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (a, *choices), (out,), (g,) = inputs, outputs, output_grads
        n = choices[0].shape[0] if len(choices) == 1 else int64(len(choices))
        a = cast(a, "int64")
        if self.mode == "wrap":
            a = mod(a, n)
        elif self.mode == "clip":
            a = clip(a, int64(0), sub(n, int64(1)))
        a = stretched(a, out)
        if len(choices) == 1:
            return [disconnected(), _grad_of_stack(choices[0], n, a, g)]
        parts = [switch(eq(a, int64(k)), g, zero_like(g)) for k in range(len(choices))]
        return [disconnected(), *(unstretched(p, c) for p, c in zip(parts, choices, strict=True))]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (a, *choices), (_, *moves) = inputs, eval_points
        if all(map(is_zero_tangent, moves)):
            return [None]
        pairs = zip(moves, choices, strict=True)
        return [self(a, *(c.zeros_like() if is_zero_tangent(dc) else dc for dc, c in pairs))]


def _grad_of_stack(c: TensorVariable, n: Variable, a: TensorVariable, g: TensorVariable) -> Any:
    """The gradient of ``c``, which has the choices along its first dimension."""
    numbers = dimshuffle(arange(n), 0, *["x"] * g.ndim)
    part = switch(eq(numbers, pad_left(a, g.ndim + 1)), pad_left(g, g.ndim + 1), zero_like(g))
    missing = g.ndim + 1 - c.ndim
    if missing:
        part = sum_(part, axis=list(range(1, 1 + missing)))
    return unstretched(part, c)


@documented_in("theano.tensor.basic")
def choose(
    a: TensorLike, choices: TensorLike, out: None = None, mode: str = "raise"
) -> TensorVariable:
    """Each element from the choice whose number is in ``a``.

    Parameters
    ----------
    a : integer tensor
    choices : sequence of tensors, or one tensor
        One tensor has the choices along its first dimension. They are broadcast with ``a``.
    out : None
        Only for NumPy's signature: a variable cannot be written into.
    mode : {'raise', 'wrap', 'clip'}
        How to handle a number out of range.

    >>> import theano.tensor as T
    >>> T.choose([0, 1, 0], [[0, 1, 2], [10, 11, 12]]).eval().tolist()
    [0, 11, 2]
    """
    if out is not None:
        raise TypeError("choose takes None as out: variables never change, use what it returns")
    if isinstance(choices, (list, tuple)) and any(isinstance(c, Variable) for c in choices):
        results = [as_tensor_variable(c) for c in choices]
        if len(results) == 1:
            results = [dimshuffle(results[0], "x", *range(results[0].ndim))]
        return Choose(mode)(a, *results)
    return Choose(mode)(a, choices)


@documented_in("theano.tensor.basic")
class Nonzero(Op):
    """The indices of elements that are not 0: a row per dimension, a column per element."""

    __call__: TensorCall

    __props__ = ()

    def make_node(self, a: TensorLike) -> Apply:
        a = as_tensor_variable(a)
        if a.ndim == 0:
            raise ValueError(f"Nonzero only supports non-scalar arrays, got {a}.")
        if a.dtype != "bool":
            # one mask for the count and the positions: XLA treats subnormal floats as 0
            a = neq(a, np.zeros((), a.dtype))
        return Apply(self, [a], [tensor_type("int64", (False, False))()])

    def compute(self, xp: ArrayNamespace, a: Array) -> Any:
        return xp.astype(xp.stack(xp.nonzero(a)), "int64")

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return [sum_(node.inputs[0], dtype="int64")]

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], a: Array) -> Any:
        return xp.astype(xp.stack(xp.nonzero(a, size=sizes[0])), "int64")

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [(int64(len(shapes[0])), sum_(node.inputs[0], dtype="int64"))]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [grad_undefined(self, 0, inputs[0], "indices are integers")]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return [None]


_nonzero = Nonzero()


@documented_in("theano.tensor.basic")
def nonzero(a: TensorLike, return_matrix: bool = False) -> Any:
    """The indices of elements that are not 0.

    Parameters
    ----------
    a : tensor of one or more dimensions
    return_matrix : bool
        Return one matrix with a row for each dimension, not a tuple of vectors.

    >>> import theano.tensor as T
    >>> [i.eval().tolist() for i in T.nonzero(T.constant([[0, 5], [6, 0]]))]
    [[0, 1], [1, 0]]
    """
    a = as_tensor_variable(a)
    result = _nonzero(a)
    return result if return_matrix else tuple(getitem(result, i) for i in range(a.ndim))


@documented_in("theano.tensor.basic")
def flatnonzero(a: TensorLike) -> Any:
    """The indices of the elements of the flattened ``a`` that are not 0.

    >>> import theano.tensor as T
    >>> T.flatnonzero(T.constant([[0, 5], [6, 0]])).eval().tolist()
    [1, 2]
    """
    a = as_tensor_variable(a)
    if a.ndim == 0:
        raise ValueError(f"Nonzero only supports non-scalar arrays, got {a}.")
    return nonzero(flatten(a))[0]


@documented_in("theano.tensor.basic")
def nonzero_values(a: TensorLike) -> Any:
    """The elements of ``a`` that are not 0, as a vector.

    >>> import theano.tensor as T
    >>> T.nonzero_values(T.constant([[0, 5], [6, 0]])).eval().tolist()
    [5, 6]
    """
    a = as_tensor_variable(a)
    return getitem(flatten(a), flatnonzero(a))


@documented_in("theano.tensor.extra_ops")
def compress(condition: TensorLike, x: TensorLike, axis: int | None = None) -> Any:
    """Slices of ``x`` along one dimension where ``condition`` is not 0.

    Parameters
    ----------
    condition : vector
    x : tensor
    axis : int, optional
        None selects elements of the flattened ``x``.

    >>> import theano.tensor as T
    >>> T.extra_ops.compress([0, 1], T.constant([[1, 2], [3, 4]]), axis=0).eval().tolist()
    [[3, 4]]
    """
    return take(x, flatnonzero(condition), axis=axis)


@documented_in("theano.tensor.extra_ops")
class RepeatOp(Op):
    """Elements repeated, all by one number or each by its entry of ``repeats``."""

    __call__: TensorCall

    __props__ = ("axis",)
    linear_in = (0,)
    nondiff_inputs = slice(1, None)

    def __init__(self, axis: int | None = None) -> None:
        self.axis = None if axis is None else int(axis)

    def make_node(self, x: TensorLike, repeats: TensorLike) -> Apply:
        x, repeats = as_tensor_variable(x), as_tensor_variable(repeats)
        if repeats.dtype not in integer_dtypes:
            raise TypeError(f"repeats.dtype must be an integer, got {repeats.dtype}.")
        if repeats.ndim > 1:
            raise ValueError(f"The dimension of repeats should not exceed 1, got {repeats.type}.")
        if self.axis is None:
            return Apply(self, [x, repeats], [tensor_type(x.dtype, (False,))()])
        pattern = list(x.broadcastable)
        pattern[self._axis(x.ndim)] &= repeats.ndim == 0 and known_int(repeats) == 1
        return Apply(self, [x, repeats], [tensor_type(x.dtype, tuple(pattern))()])

    def _axis(self, ndim: int) -> int:
        if self.axis is None:
            return 0
        if not -ndim <= self.axis < ndim:
            raise ValueError(f"{self} takes one of {ndim} dimensions, got axis {self.axis}")
        return self.axis % ndim

    def compute(self, xp: ArrayNamespace, x: Array, repeats: Array) -> Any:
        return xp.repeat(x, xp.astype(xp.asarray(repeats), "int64"), axis=self.axis)

    def _length(self, node: Apply, shapes: Sequence[Any]) -> Any:
        shape, lengths = shapes
        repeats = cast(node.inputs[1], "int64")
        n = product(shape) if self.axis is None else shape[self._axis(len(shape))]
        if repeats.ndim == 0:
            return mul(n, repeats)
        if repeats.broadcastable[0]:
            return mul(n, dimshuffle(repeats))
        # a vector of length 1 at run time holds the number for all
        return mul(sum_(repeats), switch(eq(lengths[0], int64(1)), n, int64(1)))

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return [self._length(node, shapes)]

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array, repeats: Array) -> Any:
        axis = self._axis(x.ndim)
        x = x.reshape(-1) if self.axis is None else x
        n = x.shape[axis]
        if repeats.size not in (1, n):
            raise ValueError(
                f"operands could not be broadcast together with shape ({n},) {repeats.shape}"
            )
        each = xp.broadcast_to(xp.astype(repeats, "int64"), (n,))
        at = xp.searchsorted(xp.cumsum(each), xp.arange(sizes[0]), side="right")
        return xp.take(x, at, axis=axis, mode="clip")

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        return [xp.all(xp.asarray(inputs[1]) >= 0)]

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        length = self._length(node, shapes)
        if self.axis is None:
            return [(length,)]
        out = list(shapes[0])
        out[self._axis(len(out))] = length
        return [tuple(out)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, repeats), (g,) = inputs, output_grads
        lengths = lengths_of(x)
        if self.axis is None:
            axis, before, n, after = 0, [], product(lengths), []
        else:
            axis = self._axis(x.ndim)
            before, n, after = lengths[:axis], lengths[axis], lengths[axis + 1 :]
        if repeats.ndim == 0:
            split = [*before, n, cast(repeats, "int64"), *after]
            result = sum_(reshape(g, split, ndim=g.ndim + 1), axis=axis + 1)
        else:
            at = RepeatOp(0)(arange(n), repeats)
            zeros = alloc(zero_like(g), *before, n, *after)
            result = inc_subtensor(getitem(zeros, (*[FULL] * axis, at)), g)
        if self.axis is None:
            result = reshape(result, lengths, ndim=x.ndim)
        return [patternbroadcast(result, x.broadcastable), disconnected()]


@documented_in("theano.tensor.extra_ops")
def repeat(x: TensorLike, repeats: TensorLike, axis: int | None = None) -> TensorVariable:
    """Elements of ``x`` repeated.

    Parameters
    ----------
    x : tensor
    repeats : int, scalar or vector
        How often to repeat: one number for all elements, or one for each.
    axis : int, optional
        The dimension to repeat along; None repeats elements of the flattened ``x``.

    >>> import theano.tensor as T
    >>> T.extra_ops.repeat(T.constant([1, 2]), [1, 2]).eval().tolist()
    [1, 2, 2]
    """
    return RepeatOp(axis)(x, repeats)
