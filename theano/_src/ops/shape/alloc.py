"""Allocation of arrays: filled, uninitialized, and tiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ops.core.non_differentiable import NonDifferentiable
from theano._src.ops.elementwise.arithmetic import second
from theano._src.ops.shape.dims import dimshuffle, patternbroadcast
from theano._src.ops.shape.shape import shape_i
from theano._src.ops.shape.static_values import (
    SCALAR_CONSTANTS,
    VECTOR_LENGTHS,
    as_length,
    first_input_constant,
    known_int,
    product,
    scalar_lengths,
    vector_entries,
    vector_length,
)
from theano._src.types.aliases import DTypeLike, ShapeLike, TensorLike
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.dtypes import integer_dtypes, known_dtype
from theano._src.types.null import disconnected
from theano._src.types.tensor import TensorCall, TensorVariable, tensor_type

# the limit of NumPy
_MAX_DIMENSIONS = 64

# ops that write into a copy of their first input: a constant there would be copied at every call
_WRITERS = frozenset(
    "IncSubtensor AdvancedIncSubtensor1 AdvancedIncSubtensor Gemv CGemv Ger CGer ScipyGer".split()
)


@documented_in("theano.tensor.basic")
class Alloc(Op):
    """An array filled with the first input; the other inputs are the lengths of its dimensions.

    >>> import theano.tensor as T
    >>> T.alloc(7, 2, 3).eval()
    array([[7, 7, 7],
           [7, 7, 7]], dtype=int8)
    """

    __call__: TensorCall

    __props__ = ()
    demand_only = tuple(range(1, _MAX_DIMENSIONS + 1))
    linear_in = (0,)
    nondiff_inputs = slice(1, None)

    def make_node(self, value: TensorLike, *shape: TensorLike) -> Apply:
        v = as_tensor_variable(value)
        lengths, pattern = scalar_lengths("Alloc", shape)
        if v.ndim > len(lengths):
            raise TypeError(
                f"Alloc takes a value of at most as many dimensions as lengths ({len(lengths)}), "
                f"got {v} of {v.type}"
            )
        return Apply(self, [v, *lengths], [tensor_type(v.dtype, pattern)()])

    def compute(self, xp: ArrayNamespace, value: Array, *lengths: Array) -> Any:
        shape = tuple(int(n) for n in lengths)
        try:
            return xp.full(shape, value, dtype=value.dtype)
        except ValueError as e:
            raise ValueError(
                f"Alloc cannot fill shape {shape} with a value of shape {value.shape}: {e}"
            ) from None

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return self.infer_shape(node, shapes)[0]

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        return xp.broadcast_to(inputs[0], tuple(sizes))

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        return [tuple(as_length(n) for n in node.inputs[1:])]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        x, *lengths = inputs
        if any(is_batched[1:]):
            return None
        missing = ["x"] * (len(lengths) + 1 - x.ndim)
        x = dimshuffle(x, 0, *missing, *range(1, x.ndim)) if missing else x
        return [self(x, shape_i(x, 0), *lengths)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, *lengths), (g,) = inputs, output_grads
        new = g.ndim - x.ndim
        stretched = [
            new + i for i, b in enumerate(x.broadcastable) if b and not g.broadcastable[new + i]
        ]
        if new or stretched:
            g = g.sum(axis=[*range(new), *stretched], keepdims=True)
            g = dimshuffle(g, *range(new, g.ndim))
        if not all(x.broadcastable):
            g = sum_to_lengths(g, *lengths_of(x))
        return [patternbroadcast(g, x.broadcastable), *[disconnected() for _ in lengths]]

    def do_constant_folding(self, node: Apply) -> bool:
        clients = node.outputs[0].clients
        return bool(clients) and not any(
            client == "output" or (type(client.op).__name__ in _WRITERS and i == 0)
            for client, i in clients
        )


alloc = Alloc()


class SumToLengths(Op):
    """Sum ``g`` over each dimension whose target length is 1 but whose own length is not.

    A value that fills an array, or a part of one, broadcasts by its run-time lengths, not by its
    declared pattern. The sum in its gradient must do the same.
    """

    __props__ = ()
    view_map = {0: [0]}
    linear_in = (0,)
    nondiff_inputs = slice(1, None)

    def make_node(self, g: TensorLike, *lengths: TensorLike) -> Apply:
        g, result = as_tensor_variable(g), [as_tensor_variable(n) for n in lengths]
        if len(result) != g.ndim:
            raise ValueError(f"{self} takes {g.ndim} lengths for {g}, got {len(result)}")
        return Apply(self, [g, *result], [tensor_type(g.dtype, g.broadcastable)()])

    def compute(self, xp: ArrayNamespace, g: Array, *lengths: Array) -> Any:
        return self.lower_xla(xp, [int(n) for n in lengths], g)

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return node.inputs[1:]

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], g: Array, *lengths: Array) -> Any:
        pairs = enumerate(zip(g.shape, sizes, strict=True))
        axes = tuple(d for d, (n, m) in pairs if m == 1 and n != 1)
        return xp.sum(g, axis=axes, keepdims=True, dtype=g.dtype) if axes else g

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [tuple(node.inputs[1:])]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        g, *lengths = inputs
        return None if any(is_batched[1:]) else [self(g, shape_i(g, 0), *lengths)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, *lengths), (g,) = inputs, output_grads
        return [stretched(g, x), *(disconnected() for _ in lengths)]


sum_to_lengths = SumToLengths()


def lengths_of(x: Variable) -> list[Any]:
    """Return the length of each dimension as a scalar variable."""
    return [shape_i(x, d) for d in range(x.type.ndim)]


def stretched(y: TensorVariable, x: TensorVariable) -> Any:
    """Broadcast ``y`` to the run-time shape of ``x``."""
    return patternbroadcast(alloc(y, *lengths_of(x)), x.broadcastable)


SCALAR_CONSTANTS[Alloc] = first_input_constant
VECTOR_LENGTHS[Alloc] = lambda node: known_int(node.inputs[1])


@documented_in("theano.tensor.basic")
class AllocEmpty(NonDifferentiable):
    """An uninitialized array of ``dtype``; the inputs are the lengths of its dimensions."""

    __call__: TensorCall

    __props__ = ("dtype",)
    demand_only = tuple(range(_MAX_DIMENSIONS))

    def __init__(self, dtype: str) -> None:
        self.dtype = known_dtype(dtype)

    def make_node(self, *shape: TensorLike) -> Apply:
        lengths, pattern = scalar_lengths("AllocEmpty", shape)
        return Apply(self, lengths, [tensor_type(self.dtype, pattern)()])

    def compute(self, xp: ArrayNamespace, *lengths: Array) -> Any:
        return xp.empty(tuple(int(n) for n in lengths), dtype=self.dtype)

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return self.infer_shape(node, shapes)[0]

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        return xp.empty(tuple(sizes), dtype=self.dtype)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        return [tuple(as_length(n) for n in node.inputs)]

    def do_constant_folding(self, node: Apply) -> bool:
        return False


def length_list(who: str, shape: ShapeLike) -> Sequence[Any]:
    """Convert a shape argument to a sequence of lengths: numbers, scalar variables, or both."""
    if isinstance(shape, (Variable, np.ndarray)):
        v = as_tensor_variable(shape)
        if v.ndim == 0:
            return [v]
        n = vector_length(v) if v.ndim == 1 else None
        if n is None:
            raise ValueError(
                f"{who} takes a shape of known length, got {v} of {v.type}; give a tuple of scalars"
            )
        return vector_entries(v, n)
    lengths = shape if isinstance(shape, (list, tuple)) else [shape]
    if any(n is None for n in lengths):
        raise TypeError(
            f"{who} takes a length for each dimension, got None in {shape}; give a number, or that "
            "of another tensor, as x.shape[0] is"
        )
    return lengths


@documented_in("theano.tensor.basic")
def zeros(shape: ShapeLike, dtype: DTypeLike = None) -> Any:
    """Return an array of zeros.

    Parameters
    ----------
    shape : int, integer scalar, sequence of them, or integer vector of known length
    dtype : str, optional
        ``floatX`` if not given.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.zeros((2, 3), dtype="int8").eval().tolist()
    [[0, 0, 0], [0, 0, 0]]
    """
    return _filled("zeros", 0, shape, dtype)


@documented_in("theano.tensor.basic")
def ones(shape: ShapeLike, dtype: DTypeLike = None) -> Any:
    """Return an array of ones.

    Parameters
    ----------
    shape : int, integer scalar, sequence of them, or integer vector of known length
    dtype : str, optional
        ``floatX`` if not given.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.ones(3).eval().tolist()
    [1.0, 1.0, 1.0]
    """
    return _filled("ones", 1, shape, dtype)


def _filled(who: str, value: int, shape: ShapeLike, dtype: DTypeLike) -> Any:
    if isinstance(dtype, (int, Variable)):
        raise TypeError(
            f"{who} takes a shape and a dtype, got {dtype!r} as dtype; give all lengths as one "
            f"tuple: {who}(({shape}, {dtype}))"
        )
    dtype = known_dtype(config.floatX if dtype is None else dtype)
    return alloc(np.array(value, dtype=dtype), *length_list(who, shape))


@documented_in("theano.tensor.basic")
def zeros_like(model: TensorLike, dtype: DTypeLike = None, opt: bool = False) -> Any:
    """Return zeros in the shape of ``model``.

    Parameters
    ----------
    model : tensor_like
    dtype : str, optional
        The dtype of ``model`` if not given.
    opt : bool
        Return a constant if ``model`` is one.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.zeros_like([[1, 2]]).eval().tolist()
    [[0, 0]]
    """
    return _like(0, model, dtype, opt)


@documented_in("theano.tensor.basic")
def ones_like(model: TensorLike, dtype: DTypeLike = None, opt: bool = False) -> Any:
    """Return ones in the shape of ``model``.

    Parameters
    ----------
    model : tensor_like
    dtype : str, optional
        The dtype of ``model`` if not given.
    opt : bool
        Return a constant if ``model`` is one.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.ones_like([[1, 2]], dtype="float32").eval().tolist()
    [[1.0, 1.0]]
    """
    return _like(1, model, dtype, opt)


def _like(value: int, model: TensorLike, dtype: DTypeLike, opt: bool) -> Any:
    model = as_tensor_variable(model)
    dtype = model.dtype if dtype is None else known_dtype(dtype)
    if opt and isinstance(model, Constant):
        return constant(np.full_like(model.data, value, dtype=dtype))
    return second(model, constant(np.array(value, dtype=dtype)))


@documented_in("theano.tensor.basic")
class Tile(Op):
    """Repeat a whole array along each dimension; ``reps`` holds the number of copies for each.

    ``tile`` is built from other ops; this op exists for code that refers to it by name.
    """

    __call__: TensorCall

    __props__ = ("ndim",)
    demand_only = (1,)
    linear_in = (0,)
    nondiff_inputs = (1,)

    def __init__(self, ndim: int) -> None:
        self.ndim = int(ndim)

    def make_node(self, x: TensorLike, reps: TensorLike) -> Apply:
        x, reps = as_tensor_variable(x), as_tensor_variable(reps)
        if reps.ndim != 1 or reps.dtype not in integer_dtypes:
            raise TypeError(f"{self} takes a vector of integers as reps, got {reps} of {reps.type}")
        if x.ndim != self.ndim:
            raise TypeError(f"{self} takes an array of {self.ndim} dimensions, got {x.type}")
        return Apply(self, [x, reps], [tensor_type(x.dtype, (False,) * self.ndim)()])

    def compute(self, xp: ArrayNamespace, x: Array, reps: Array) -> Any:
        return self._tile(xp, x, reps.size, reps.tolist())

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        counts = vector_entries(node.inputs[1], self.ndim)
        # a vector may hold more counts than ndim
        return [as_length(n) for n in (shapes[1][0], *counts)]

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        n, *counts = sizes
        return self._tile(xp, inputs[0], n, counts)

    def _tile(self, xp: ArrayNamespace, x: Array, n: int, counts: Sequence[int]) -> Any:
        if n != self.ndim or min(counts, default=0) < 0:
            raise ValueError(f"{self} takes {self.ndim} counts from 0, got {n}: {counts}")
        return xp.tile(x, counts)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        reps = vector_entries(node.inputs[1], self.ndim)
        return [tuple(product([n, as_length(r)]) for n, r in zip(shapes[0], reps, strict=True))]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, reps), (g,) = inputs, output_grads
        lengths = [n for i in range(self.ndim) for n in (reps[i], x.shape[i])]
        copies = g.reshape(lengths) if lengths else g
        gx = copies.sum(axis=list(range(0, 2 * self.ndim, 2)))
        return [patternbroadcast(gx, x.broadcastable), disconnected()]
