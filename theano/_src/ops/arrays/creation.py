"""Array creation as in NumPy: filled and evenly spaced arrays, grids and indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ops.arrays.axes import broadcast_arrays, moveaxis
from theano._src.ops.arrays.diagonal import AllocDiag
from theano._src.ops.arrays.select import nonzero
from theano._src.ops.core.cast import cast
from theano._src.ops.elementwise.arithmetic import (
    abs_,
    maximum,
    mul,
    pow,
    second,
    sgn,
    sub,
    true_div,
)
from theano._src.ops.elementwise.compare import and_, eq, gt, switch
from theano._src.ops.elementwise.explog import log10
from theano._src.ops.elementwise.rounding import floor
from theano._src.ops.shape.alloc import AllocEmpty, alloc, length_list
from theano._src.ops.shape.dims import dimshuffle
from theano._src.ops.shape.join import stack
from theano._src.ops.shape.ranges import arange, eye, one_less, tri
from theano._src.ops.shape.shape import flatten, shape_i_op
from theano._src.ops.shape.static_values import as_length, known_int
from theano._src.types.aliases import DTypeLike, IntLike, ShapeLike, TensorLike
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.dtypes import discrete_dtypes, known_dtype, upcast
from theano._src.types.tensor import TensorVariable


@documented_in("theano.tensor")
def full(shape: ShapeLike, fill_value: TensorLike, dtype: DTypeLike = None) -> TensorVariable:
    """An array filled with one value, or with an array that is broadcast.

    Parameters
    ----------
    shape : int, integer scalar, sequence of them, or integer vector of known length
    fill_value : number, tensor or array
    dtype : str, optional
        By default that of ``fill_value``; ``floatX`` and int64 for Python numbers.

    >>> import theano.tensor as T
    >>> T.full((2, 2), 7).eval().tolist()
    [[7, 7], [7, 7]]
    """
    return alloc(_value(fill_value, dtype), *length_list("full", shape))


def _value(x: TensorLike, dtype: DTypeLike) -> Any:
    if dtype is not None:
        return cast(x, known_dtype(dtype))
    if isinstance(x, bool | int | float | complex):
        # NumPy's dtype for a Python number; as_tensor_variable alone would take the narrowest
        x = np.asarray(x, config.floatX if isinstance(x, float) else None)
    return as_tensor_variable(x)


@documented_in("theano.tensor")
def full_like(a: TensorLike, fill_value: TensorLike, dtype: DTypeLike = None) -> TensorVariable:
    """An array filled with one value, with the shape and by default the dtype of ``a``.

    >>> import theano.tensor as T
    >>> T.full_like([[1.0, 2.0]], 7).eval().tolist()
    [[7.0, 7.0]]
    """
    a = as_tensor_variable(a)
    return second(a, cast(fill_value, a.dtype if dtype is None else known_dtype(dtype)))


@documented_in("theano.tensor")
def empty(shape: ShapeLike, dtype: DTypeLike = None) -> TensorVariable:
    """An uninitialised array of a shape.

    >>> import theano.tensor as T
    >>> T.empty((2, 3)).eval().shape
    (2, 3)
    """
    wanted = known_dtype(config.floatX if dtype is None else dtype)
    return AllocEmpty(wanted)(*length_list("empty", shape))


@documented_in("theano.tensor")
def empty_like(prototype: TensorLike, dtype: DTypeLike = None) -> TensorVariable:
    """An uninitialised array with the shape and by default the dtype of another.

    >>> import theano.tensor as T
    >>> T.empty_like([[1, 2]]).eval().shape
    (1, 2)
    """
    x = as_tensor_variable(prototype)
    lengths = [1 if b else shape_i_op(i)(x) for i, b in enumerate(x.broadcastable)]
    return AllocEmpty(x.dtype if dtype is None else known_dtype(dtype))(*lengths)


@documented_in("theano.tensor")
def identity(n: TensorLike, dtype: DTypeLike = None) -> Any:
    """The identity matrix of ``n`` rows.

    >>> import theano.tensor as T
    >>> T.identity(2).eval().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return eye(n, dtype=dtype)


@documented_in("theano.tensor")
def diagflat(v: TensorLike, k: int = 0) -> TensorVariable:
    """A matrix with the elements of the flattened ``v`` on its ``k``-th diagonal.

    >>> import theano.tensor as T
    >>> T.diagflat([[1, 2]]).eval().tolist()
    [[1, 0], [0, 2]]
    """
    v = as_tensor_variable(v)
    return AllocDiag(k)(dimshuffle(v, "x") if v.ndim == 0 else flatten(v))


@documented_in("theano.tensor")
def linspace(
    start: TensorLike,
    stop: TensorLike,
    num: IntLike = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike = None,
    axis: int = 0,
) -> Any:
    """Evenly spaced numbers from ``start`` to ``stop``.

    Parameters
    ----------
    start, stop : numbers, tensors or arrays
        For tensors, the result has one sequence for each element.
    num : int or integer scalar
        The length of the sequence.
    endpoint : bool
        Whether ``stop`` is the last number.
    retstep : bool
        Return ``(numbers, step)``.
    dtype : str, optional
        By default the float dtype of ``start`` and ``stop``, ``floatX`` for integers and Python
        numbers. For an integer dtype the numbers are rounded down.
    axis : int
        The dimension of the result along which the numbers are.

    >>> import theano.tensor as T
    >>> T.linspace(0, 1, 5).eval().tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    inner = _spaced_dtype(start, stop)
    first, last = (cast(as_tensor_variable(x), inner) for x in (start, stop))
    distance = sub(last, first)
    n = as_length(_count("linspace", num))
    steps = sub(n, as_length(1)) if endpoint else n
    # a single number has no step: avoid the division by 0
    step = true_div(distance, cast(maximum(steps, as_length(1)), inner))
    i = dimshuffle(arange(n), 0, *("x",) * distance.ndim)
    out = first + cast(i, inner) * step
    if endpoint:
        # exact: rounding may miss the end
        out = switch(and_(eq(i, steps), gt(n, 1)), last, out)
    if dtype is not None:
        wanted = known_dtype(dtype)
        out = cast(floor(out) if wanted in discrete_dtypes else out, wanted)
    out = out if axis == 0 else moveaxis(out, 0, axis)
    if not retstep:
        return out
    none = eq(steps, 0) if endpoint else eq(n, 0)
    return out, switch(none, np.asarray(np.nan, inner), step)


def _count(who: str, num: IntLike) -> IntLike:
    known = known_int(num)
    if known is not None and known < 0:
        raise ValueError(f"{who} takes a num from 0, got {known}")
    return num


def _spaced_dtype(*ends: TensorLike) -> str:
    """The float or complex dtype to compute a sequence between these ends in."""
    given = [as_tensor_variable(x).dtype for x in ends if isinstance(x, Variable | np.ndarray)]
    floats = [d for d in given if d not in discrete_dtypes]
    if not floats or len(floats) < len(given):
        floats.append(config.floatX)
    if any(isinstance(x, complex) for x in ends):
        floats.append("complex64" if config.floatX == "float32" else "complex128")
    return upcast(*floats)


@documented_in("theano.tensor")
def logspace(
    start: TensorLike,
    stop: TensorLike,
    num: IntLike = 50,
    endpoint: bool = True,
    base: TensorLike = 10.0,
    dtype: DTypeLike = None,
    axis: int = 0,
) -> TensorVariable:
    """Powers of ``base`` with evenly spaced exponents, from ``start`` to ``stop``.

    >>> import theano.tensor as T
    >>> T.logspace(0, 2, 3).eval().tolist()
    [1.0, 10.0, 100.0]
    """
    exponents = linspace(start, stop, num, endpoint)
    if not isinstance(base, Variable | np.ndarray):
        # a Python number does not widen the dtype
        base = np.asarray(base, exponents.dtype)
    out = pow(as_tensor_variable(base), exponents)
    out = out if dtype is None else cast(out, known_dtype(dtype))
    return out if axis == 0 else moveaxis(out, 0, axis)


@documented_in("theano.tensor")
def geomspace(
    start: TensorLike,
    stop: TensorLike,
    num: IntLike = 50,
    endpoint: bool = True,
    dtype: DTypeLike = None,
    axis: int = 0,
) -> TensorVariable:
    """Numbers from ``start`` to ``stop`` with equal ratios; both are real and of equal sign.

    >>> import theano.tensor as T
    >>> T.geomspace(1, 8, 4).eval().round(6).tolist()
    [1.0, 2.0, 4.0, 8.0]
    """
    inner = _spaced_dtype(start, stop)
    if inner.startswith("complex"):
        raise TypeError(f"geomspace takes real numbers, got {start} and {stop}")
    first, last = (cast(as_tensor_variable(x), inner) for x in (start, stop))
    n = as_length(_count("geomspace", num))
    exponents = linspace(log10(abs_(first)), log10(abs_(last)), n, endpoint)
    out = mul(sgn(first), pow(np.asarray(10.0, inner), exponents))
    i = dimshuffle(arange(n), 0, *("x",) * (out.ndim - 1))
    # numbers of different signs, or 0, have no equal ratios
    out = switch(eq(sgn(first), sgn(last)), out, np.asarray(np.nan, inner))
    out = switch(eq(i, 0), first, out)
    if endpoint:
        out = switch(and_(eq(i, sub(n, as_length(1))), gt(n, 1)), last, out)
    out = out if dtype is None else cast(out, known_dtype(dtype))
    return out if axis == 0 else moveaxis(out, 0, axis)


@documented_in("theano.tensor")
def meshgrid(
    *xi: TensorLike, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[Any, ...]:
    """The coordinates of the points of a grid, one tensor for each vector.

    Parameters
    ----------
    *xi : vectors, or scalars
    copy : bool
        Accepted for NumPy's signature and ignored.
    sparse : bool
        Leave the other dimensions at length 1, for broadcasting.
    indexing : {'xy', 'ij'}
        Whether the first two dimensions are swapped, as in plots ('xy'), or not ('ij').

    >>> import theano.tensor as T
    >>> x, y = T.meshgrid([1, 2, 3], [10, 20])
    >>> x.eval().tolist(), y.eval().tolist()
    ([[1, 2, 3], [1, 2, 3]], [[10, 10, 10], [20, 20, 20]])
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid takes 'xy' or 'ij' as indexing, got {indexing!r}")
    results = []
    for i, given in enumerate(xi):
        v = as_tensor_variable(given)
        v = dimshuffle(v, "x") if v.ndim == 0 else flatten(v)
        place = 1 - i if indexing == "xy" and len(xi) > 1 and i < 2 else i
        results.append(dimshuffle(v, *(0 if d == place else "x" for d in range(len(xi)))))
    return tuple(results) if sparse else tuple(broadcast_arrays(*results))


@documented_in("theano.tensor")
def indices(dimensions: Sequence[Any], dtype: DTypeLike = "int64", sparse: bool = False) -> Any:
    """The indices of all elements of a shape, stacked by dimension; a tuple if ``sparse``.

    >>> import theano.tensor as T
    >>> T.indices((2, 2)).eval().tolist()
    [[[0, 0], [1, 1]], [[0, 1], [0, 1]]]
    """
    wanted = known_dtype("int64" if dtype is int else dtype)
    lengths = length_list("indices", dimensions)
    grid = meshgrid(*(cast(arange(n), wanted) for n in lengths), sparse=sparse, indexing="ij")
    if sparse:
        return grid
    return stack(list(grid)) if grid else alloc(np.asarray(0, wanted), 0)


@documented_in("theano.tensor")
def ix_(*args: TensorLike) -> tuple[Any, ...]:
    """Reshape vectors so that together they index a grid: rows, columns and so on.

    >>> import theano.tensor as T
    >>> T.arange(9).reshape((3, 3))[T.ix_([0, 2], [1, 2])].eval().tolist()
    [[1, 2], [7, 8]]
    """
    vectors = []
    for v in map(as_tensor_variable, args):
        if v.ndim != 1:
            raise ValueError(f"ix_ takes vectors, got {v} of {v.type}")
        vectors.append(nonzero(v)[0] if v.dtype == "bool" else v)
    n = len(vectors)
    return tuple(
        dimshuffle(v, *(0 if d == i else "x" for d in range(n))) for i, v in enumerate(vectors)
    )


@documented_in("theano.tensor")
def tril_indices(n: TensorLike, k: TensorLike = 0, m: TensorLike = None) -> tuple[Any, ...]:
    """The indices of a matrix on and below its ``k``-th diagonal.

    >>> import theano.tensor as T
    >>> [i.eval().tolist() for i in T.tril_indices(2)]
    [[0, 1, 1], [0, 0, 1]]
    """
    return _triangle(np.tril_indices, lambda n, m, k: tri(n, m, k, "bool"), n, k, m)


@documented_in("theano.tensor")
def triu_indices(n: TensorLike, k: TensorLike = 0, m: TensorLike = None) -> tuple[Any, ...]:
    """The indices of a matrix on and above its ``k``-th diagonal.

    >>> import theano.tensor as T
    >>> [i.eval().tolist() for i in T.triu_indices(2)]
    [[0, 0, 1], [0, 1, 1]]
    """
    return _triangle(np.triu_indices, lambda n, m, k: ~tri(n, m, one_less(k), "bool"), n, k, m)


def _triangle(
    on_numpy: Callable[..., Any],
    mask: Callable[..., Any],
    n: TensorLike,
    k: TensorLike,
    m: TensorLike,
) -> tuple[Any, ...]:
    sizes = [known_int(x) for x in (n, k, n if m is None else m)]
    if None not in sizes:
        return tuple(constant(i) for i in on_numpy(*sizes))
    return tuple(nonzero(mask(n, n if m is None else m, k)))


@documented_in("theano.tensor")
def diag_indices(n: TensorLike, ndim: int = 2) -> tuple[Any, ...]:
    """The indices of the main diagonal of an array of ``ndim`` dimensions.

    >>> import theano.tensor as T
    >>> [i.eval().tolist() for i in T.diag_indices(2)]
    [[0, 1], [0, 1]]
    """
    return (arange(n),) * ndim
