"""Arrays computed from their indices: ranges, grids, identity and triangular matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import AsTensorError, EmptyConstantError, NotScalarConstantError
from theano._src.ops.core.cast import cast
from theano._src.ops.core.non_differentiable import NonDifferentiable
from theano._src.ops.elementwise.arithmetic import int_div, maximum, neg, sub, true_div
from theano._src.ops.elementwise.compare import lt, switch
from theano._src.ops.elementwise.rounding import ceil
from theano._src.ops.shape.alloc import alloc
from theano._src.ops.shape.dims import dimshuffle
from theano._src.ops.shape.shape import is_count, shape_i_op
from theano._src.ops.shape.static_values import (
    VECTOR_LENGTHS,
    as_length,
    get_scalar_constant_value,
    known_int,
    scalar_lengths,
)
from theano._src.types.aliases import DTypeLike, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import (
    complex_dtypes,
    discrete_dtypes,
    integer_dtypes,
    known_dtype,
    uint_dtypes,
    upcast,
)
from theano._src.types.null import disconnected
from theano._src.types.tensor import TensorVariable, tensor_type


class _OnGrid(NonDifferentiable):
    """A matrix of ones where a condition on ``column - row`` and ``k`` is true; zeros elsewhere."""

    __props__ = ("dtype",)
    demand_only = (0, 1)

    def __init__(self, dtype: DTypeLike = None) -> None:
        self.dtype = known_dtype(config.floatX if dtype is None else dtype)

    def make_node(self, n: TensorLike, m: TensorLike, k: TensorLike) -> Apply:
        for name, v in (("rows", n), ("columns", m), ("k", k)):
            if v is None:
                who = type(self).__name__.lower()
                raise AsTensorError(f"{who} takes an integer scalar as {name}, got None")
        lengths, _ = scalar_lengths(type(self).__name__, (n, m))
        k = as_tensor_variable(k)
        if k.ndim != 0 or k.dtype not in integer_dtypes:
            raise TypeError(f"{self} takes an integer scalar as k, got {k} of {k.type}")
        return Apply(self, [*lengths, k], [tensor_type(self.dtype, (False, False))()])

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return self.infer_shape(node, shapes)[0]

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        n, m = sizes
        if min(n, m) < 0:
            raise ValueError(f"negative dimensions are not allowed: {self} of shape {(n, m)}")
        offsets = xp.arange(m, dtype="int64")[None, :] - xp.arange(n, dtype="int64")[:, None]
        return xp.astype(self.holds(offsets, xp.astype(inputs[2], "int64")), self.dtype)

    def holds(self, offsets: Array, k: Array) -> Any:
        raise NotImplementedError

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        n, m, _ = node.inputs
        return [(as_length(n), as_length(m))]


@documented_in("theano.tensor.basic")
class Eye(_OnGrid):
    """Ones on one diagonal: the main one for ``k = 0``, above it for positive ``k``."""

    __props__ = ("dtype",)

    def compute(self, xp: ArrayNamespace, n: Array, m: Array, k: Array) -> Any:
        return xp.eye(int(n), int(m), int(k), dtype=self.dtype)

    def holds(self, offsets: Array, k: Array) -> Any:
        return offsets == k


@documented_in("theano.tensor.basic")
class Tri(_OnGrid):
    """Ones on and below one diagonal."""

    __props__ = ("dtype",)

    def compute(self, xp: ArrayNamespace, n: Array, m: Array, k: Array) -> Any:
        return xp.tri(int(n), int(m), int(k), dtype=self.dtype)

    def holds(self, offsets: Array, k: Array) -> Any:
        return offsets <= k


@documented_in("theano.tensor.basic")
def eye(n: TensorLike, m: TensorLike = None, k: TensorLike = 0, dtype: DTypeLike = None) -> Any:
    """Return a matrix with ones on one diagonal and zeros elsewhere.

    Parameters
    ----------
    n : int or integer scalar
        The number of rows.
    m : int or integer scalar, optional
        The number of columns; ``n`` if not given.
    k : int or integer scalar
        The diagonal: 0 is the main one, positive ones are above it.
    dtype : str, optional
        ``floatX`` if not given.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.eye(2, 3, k=1, dtype="int8").eval().tolist()
    [[0, 1, 0], [0, 0, 1]]
    """
    return Eye(dtype)(n, n if m is None else m, k)


@documented_in("theano.tensor.basic")
def identity_like(x: TensorLike) -> Any:
    """Return ones on the main diagonal, zeros elsewhere, in the shape and dtype of ``x``.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.identity_like([[5, 5, 5], [5, 5, 5]]).eval().tolist()
    [[1, 0, 0], [0, 1, 0]]
    """
    x = as_tensor_variable(x)
    if x.ndim < 2:
        raise TypeError(f"identity_like takes a matrix, got {x} of {x.type}")
    return eye(shape_i_op(0)(x), shape_i_op(1)(x), dtype=x.dtype)


@documented_in("theano.tensor.basic")
def tri(N: TensorLike, M: TensorLike = None, k: TensorLike = 0, dtype: DTypeLike = None) -> Any:
    """Return a matrix with ones on and below one diagonal, and zeros above it.

    Parameters
    ----------
    N : int or integer scalar
        The number of rows.
    M : int or integer scalar, optional
        The number of columns; ``N`` if not given.
    k : int or integer scalar
        The highest diagonal of ones: 0 is the main one, positive ones are above it.
    dtype : str, optional
        ``floatX`` if not given.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.tri(3, dtype="int8").eval().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    return Tri(dtype)(N, N if M is None else M, k)


def one_less(k: TensorLike) -> Any:
    """Return ``k - 1``; integers are cast to int64 first, as a narrow dtype could overflow."""
    k = as_tensor_variable(k)
    return sub(as_length(k) if k.dtype in integer_dtypes else k, 1)


def _below(who: str, m: TensorVariable, k: TensorLike) -> Any:
    if m.ndim < 2:
        raise TypeError(f"{who} takes a matrix, got {m} of {m.type}")
    return tri(shape_i_op(m.ndim - 2)(m), shape_i_op(m.ndim - 1)(m), k, dtype="bool")


@documented_in("theano.tensor.basic")
def tril(m: TensorLike, k: TensorLike = 0) -> TensorVariable:
    """Return the lower triangle of a matrix ``m``, with zeros above diagonal ``k``.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.tril([[1, 2], [3, 4]]).eval().tolist()
    [[1, 0], [3, 4]]
    """
    m = as_tensor_variable(m)
    return switch(_below("tril", m, k), m, np.zeros((), m.dtype))


@documented_in("theano.tensor.basic")
def triu(m: TensorLike, k: TensorLike = 0) -> TensorVariable:
    """Return the upper triangle of a matrix ``m``, with zeros below diagonal ``k``.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.triu([[1, 2], [3, 4]]).eval().tolist()
    [[1, 2], [0, 4]]
    """
    m = as_tensor_variable(m)
    return switch(_below("triu", m, one_less(k)), np.zeros((), m.dtype), m)


@documented_in("theano.tensor.basic")
class ARange(Op):
    """The vector start, start + step, ... up to, but not including, stop."""

    __props__ = ("dtype",)
    demand_only = (1,)
    nondiff_inputs = (1,)

    def __init__(self, dtype: DTypeLike) -> None:
        self.dtype = known_dtype(dtype)

    def make_node(self, start: TensorLike, stop: TensorLike, step: TensorLike) -> Apply:
        inputs = [as_tensor_variable(v) for v in (start, stop, step)]
        for name, v in zip(("start", "stop", "step"), inputs, strict=True):
            if v.ndim != 0:
                raise TypeError(f"arange takes a scalar as {name}, got {v} of {v.type}")
            if v.dtype in complex_dtypes:
                raise TypeError(f"arange takes real numbers, got {v} of {v.type} as {name}")
        return Apply(self, inputs, [tensor_type(self.dtype, (False,))()])

    def compute(self, xp: ArrayNamespace, start: Array, stop: Array, step: Array) -> Any:
        if step == 0:
            raise ZeroDivisionError("arange takes a step that is not zero, got 0")
        return xp.arange(start.item(), stop.item(), step.item(), dtype=self.dtype)

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        (length,) = self.infer_shape(node, shapes)[0]
        if all(v.type.dtype in discrete_dtypes for v in node.inputs):
            return [length]
        return [length, cast(lt(_steps(*node.inputs), float(2**62)), "int64")]

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        (n, *countable), start, step = sizes, inputs[0], inputs[2]
        if countable == [0]:
            raise ValueError("arange: cannot compute length of a range that has no end")
        wide = np.promote_types(np.promote_types(start.dtype, step.dtype), "int64")
        first = xp.astype(start, wide)
        # NumPy takes the step between the first two elements in the dtype of the result
        second = xp.astype(first + xp.astype(step, wide), self.dtype)
        first = xp.astype(first, self.dtype)
        return first + xp.arange(n, dtype=self.dtype) * (second - first)

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        return (inputs[2] != 0,)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        return [(range_length(*node.inputs),)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g,) = output_grads
        taken = arange(shape_i_op(0)(g), dtype=g.dtype)
        return [g.sum(), disconnected(), (g * taken).sum()]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        dstart, _, dstep = eval_points
        if self.dtype in discrete_dtypes or (dstart is None and dstep is None):
            return [None]
        (n,) = self.infer_shape(self.make_node(*inputs), [(), (), ()])[0]
        start = 0 if dstart is None else dstart
        step = 0 if dstep is None else dstep
        return [start + step * arange(n, dtype=self.dtype)]


def _number(v: Variable) -> Any:
    """Return the Python number of a scalar if it is a known constant, else None."""
    try:
        return get_scalar_constant_value(v).item()
    except (NotScalarConstantError, EmptyConstantError):
        return None


def _steps(start: Variable, stop: Variable, step: Variable) -> Any:
    """Return ``(stop - start) / step`` in float64, not rounded."""
    a, b, s = (cast(v, "float64") for v in (start, stop, step))
    return true_div(sub(b, a), s)


def range_length(start: Variable, stop: Variable, step: Variable) -> Any:
    """Return max(0, ceil((stop - start) / step)) as an int64 scalar; 0 for a step of 0."""
    known = [_number(v) for v in (start, stop, step)]
    if known[2] == 0:
        return as_length(0)
    if None not in known and all(map(math.isfinite, known)):
        a, b, s = known
        whole = all(isinstance(v, int) for v in known)
        return as_length(max(0, -((a - b) // s) if whole else math.ceil((b - a) / s)))
    if any(v.type.dtype not in discrete_dtypes for v in (start, stop, step)):
        return maximum(cast(ceil(_steps(start, stop, step)), "int64"), as_length(0))
    if known[0] == 0 and known[2] == 1 and is_count(stop):
        return as_length(stop)
    a, b, s = (as_length(v) for v in (start, stop, step))
    if known[2] == 1:
        return maximum(b if known[0] == 0 else sub(b, a), as_length(0))
    # ceil(x) = -floor(-x)
    return maximum(neg(int_div(sub(a, b), s)), as_length(0))


VECTOR_LENGTHS[ARange] = lambda node: known_int(range_length(*node.inputs))


@cache
def _arange(dtype: str) -> ARange:
    return ARange(dtype)


@documented_in("theano.tensor.basic")
def arange(
    start: TensorLike, stop: TensorLike = None, step: TensorLike = 1, dtype: DTypeLike = None
) -> Any:
    """Return evenly spaced values: start, start + step, ... up to, but not including, stop.

    Parameters
    ----------
    start : scalar
        The first value. If ``stop`` is not given, this is ``stop`` and the range starts at 0.
    stop : scalar, optional
    step : scalar
    dtype : str, optional
        By default int64 for integers (uint64 if all are unsigned), else a float dtype, which
        depends on ``config.cast_policy``.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.arange(1, 10, 3).eval().tolist()
    [1, 4, 7]
    """
    if stop is None:
        start, stop = 0, start
    start, stop, step = (as_tensor_variable(v) for v in (start, stop, step))
    if dtype is None:
        dtype = _range_dtype(start.dtype, stop.dtype, step.dtype)
    return _arange(known_dtype(dtype))(start, stop, step)


def _range_dtype(*dtypes: str) -> str:
    dtype = upcast(*dtypes)
    if dtype in uint_dtypes:
        return "uint64"
    if dtype in discrete_dtypes:
        return "int64"
    policy = config.cast_policy
    if policy == "custom" or dtype in complex_dtypes:
        return dtype
    if policy == "numpy+floatX" and config.floatX != "float64" and "float64" not in dtypes:
        return str(config.floatX)
    return "float64"


@documented_in("theano.tensor.basic")
class _nd_grid:
    """Grids of coordinates, indexed by slices: one array for each slice.

    ``mgrid`` returns full arrays, ``ogrid`` arrays that broadcast to them.

    >>> import theano.tensor as T
    >>> rows, columns = T.mgrid[0:2, 0:3]
    >>> columns.eval().tolist()
    [[0, 1, 2], [0, 1, 2]]
    """

    def __init__(self, sparse: bool = False) -> None:
        self.sparse = sparse

    def __getitem__(self, slices: slice | tuple[slice, ...]) -> Any:
        if not isinstance(slices, tuple):
            return _slice_range(slices)
        axes = [_slice_range(s) for s in slices]
        n = len(axes)
        grids = [dimshuffle(a, *["x"] * i, 0, *["x"] * (n - i - 1)) for i, a in enumerate(axes)]
        if self.sparse:
            return grids
        dtype = upcast(*[a.dtype for a in axes])
        lengths = [shape_i_op(0)(a) for a in axes]
        return [alloc(cast(g, dtype), *lengths) for g in grids]


def _slice_range(s: object) -> Any:
    if not isinstance(s, slice) or s.stop is None:
        raise TypeError(f"a grid takes slices with a stop, as in mgrid[0:3, 0:4], got {s}")
    if any(isinstance(v, complex) for v in (s.start, s.stop, s.step)):
        raise NotImplementedError("a grid takes a step between values, got a complex number")
    return arange(0 if s.start is None else s.start, s.stop, 1 if s.step is None else s.step)


mgrid = _nd_grid()
ogrid = _nd_grid(sparse=True)
