"""Products of vectors, covariances, integrals and convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.ground.documented import documented_in
from theano._src.ops.arrays.axes import flip, moveaxis, one_axis, ravel
from theano._src.ops.arrays.cumulative import diff
from theano._src.ops.arrays.diagonal import diagonal
from theano._src.ops.arrays.padding import pad
from theano._src.ops.arrays.stacking import static_length
from theano._src.ops.core.cast import cast, in_floats
from theano._src.ops.core.grad_helpers import conjugated, const_like
from theano._src.ops.elementwise.arithmetic import (
    add,
    clip,
    int_div,
    maximum,
    mul,
    sqrt,
    sub,
    true_div,
)
from theano._src.ops.elementwise.compare import lt, switch
from theano._src.ops.elementwise.complex_parts import real
from theano._src.ops.linalg.dot import dot, tensordot
from theano._src.ops.linalg.einsum import labelled_product
from theano._src.ops.reduce.careduce import sum as sum_
from theano._src.ops.reduce.statistics import mean
from theano._src.ops.shape.dims import dimshuffle
from theano._src.ops.shape.join import concatenate, stack
from theano._src.ops.shape.ranges import arange
from theano._src.ops.shape.shape import shape_i_op
from theano._src.ops.shape.static_values import as_length
from theano._src.types.aliases import DTypeLike, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import complex_dtypes, known_dtype
from theano._src.types.tensor import TensorVariable


@documented_in("theano.tensor")
def inner(a: TensorLike, b: TensorLike) -> TensorVariable:
    """The inner product: the sum of products over the last dimensions of both.

    >>> import theano.tensor as T
    >>> T.inner([1, 2], [[3, 4], [5, 6]]).eval().tolist()
    [11, 17]
    """
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    if a.ndim == 0 or b.ndim == 0:
        return mul(a, b)
    return tensordot(a, b, [[a.ndim - 1], [b.ndim - 1]])


@documented_in("theano.tensor")
def vdot(a: TensorLike, b: TensorLike) -> TensorVariable:
    """The inner product of the flattened inputs, with ``a`` conjugated.

    >>> import theano.tensor as T
    >>> T.vdot([1 + 1j], [1 + 1j]).eval().item()
    (2+0j)
    """
    return dot(conjugated(ravel(a)), ravel(b))


def _front(ndim: int, core: Sequence[str]) -> list[Any]:
    """Labels of dimensions: ``core`` last; batch dimensions by their distance from the core."""
    return [*range(ndim - len(core), 0, -1), *core]


def _cores(who: str, operands: Sequence[tuple[Any, Sequence[str]]], out: Sequence[str]) -> Any:
    results = [as_tensor_variable(x) for x, _ in operands]
    for x, (_, core) in zip(results, operands, strict=True):
        if x.ndim < len(core):
            raise ValueError(f"{who} takes {len(core)} dimensions or more, got {x} of {x.type}")
    terms = [_front(x.ndim, core) for x, (_, core) in zip(results, operands, strict=True)]
    most = max(len(t) - len(core) for t, (_, core) in zip(terms, operands, strict=True))
    return labelled_product(results, terms, _front(most + len(out), out))


@documented_in("theano.tensor")
def vecdot(x1: TensorLike, x2: TensorLike, axis: int = -1) -> Any:
    """Inner products of vectors along ``axis``, ``x1`` conjugated; other dimensions broadcast.

    >>> import theano.tensor as T
    >>> T.vecdot([[1, 2], [3, 4]], [10, 1]).eval().tolist()
    [12, 34]
    """
    a, b = as_tensor_variable(x1), as_tensor_variable(x2)
    if axis != -1:
        a, b = moveaxis(a, axis, -1), moveaxis(b, axis, -1)
    return _cores("vecdot", [(conjugated(a), ["sum"]), (b, ["sum"])], [])


@documented_in("theano.tensor")
def matvec(x1: TensorLike, x2: TensorLike) -> Any:
    """Products of matrices and vectors, in the last dimensions; other dimensions broadcast.

    >>> import theano.tensor as T
    >>> T.matvec([[1, 2], [3, 4]], [[1, 0], [0, 1]]).eval().tolist()
    [[1, 3], [2, 4]]
    """
    return _cores("matvec", [(x1, ["row", "sum"]), (x2, ["sum"])], ["row"])


@documented_in("theano.tensor")
def vecmat(x1: TensorLike, x2: TensorLike) -> Any:
    """Products of conjugated vectors and matrices, in the last dimensions; the others broadcast.

    >>> import theano.tensor as T
    >>> T.vecmat([[1, 0], [0, 1]], [[1, 2], [3, 4]]).eval().tolist()
    [[1, 2], [3, 4]]
    """
    x1 = conjugated(as_tensor_variable(x1))
    return _cores("vecmat", [(x1, ["sum"]), (x2, ["sum", "column"])], ["column"])


@documented_in("theano.tensor")
def cross(
    a: TensorLike,
    b: TensorLike,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Any:
    """The cross product of vectors.

    Parameters
    ----------
    a, b : tensors or arrays
        With three components, or two if the third is 0. If both have two, only the third
        component is returned, without a dimension. An unknown length is assumed to be 3.
    axisa, axisb, axisc : int
        The axis of the components in ``a``, ``b`` and the result.
    axis : int, optional
        Overrides the other three.

    >>> import theano.tensor as T
    >>> T.cross([1, 0, 0], [0, 1, 0]).eval().tolist()
    [0, 0, 1]
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    parts = []
    for name, given, at in (("axisa", a, axisa), ("axisb", b, axisb)):
        x = as_tensor_variable(given)
        place = one_axis(f"cross ({name})", at, x.ndim)
        n = static_length(x, place)
        if n not in (None, 2, 3):
            raise ValueError(f"cross takes vectors of 2 or 3 components, got {n} in {x}")
        x = moveaxis(x, place, 0)
        if n is None:
            # any other length raises at run time
            x = x.reshape([3, *(shape_i_op(d)(x) for d in range(1, x.ndim))], ndim=x.ndim)
        parts.append([x[i] for i in range(n or 3)])
    u, v = parts
    third = sub(mul(u[0], v[1]), mul(u[1], v[0]))
    if len(u) == len(v) == 2:
        return third
    u, v = ([*w, w[0].zeros_like()][:3] for w in (u, v))
    results = [sub(mul(u[1], v[2]), mul(u[2], v[1])), sub(mul(u[2], v[0]), mul(u[0], v[2])), third]
    return stack(results, axis=axisc if axisc >= 0 else third.ndim + 1 + axisc)


@documented_in("theano.tensor")
def cov(
    m: TensorLike,
    y: TensorLike = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: TensorLike = None,
    fweights: TensorLike = None,
    aweights: TensorLike = None,
    dtype: DTypeLike = None,
) -> Any:
    """The covariance matrix of variables.

    Parameters
    ----------
    m, y : vectors or matrices
        ``y`` holds more variables with the same observations.
    rowvar : bool
        Whether each row is a variable and each column an observation; otherwise the reverse.
    bias : bool
        Divide by the number of observations N instead of N - 1.
    ddof : number, optional
        Divide by N - ``ddof``; overrides ``bias``.
    fweights, aweights : vectors, optional
        How often each observation occurred, and its weight.
    dtype : str, optional

    >>> import theano.tensor as T
    >>> T.cov([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]).eval().tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    rows = []
    for name, given in (("m", m), ("y", y)):
        if given is None:
            continue
        x = in_floats(given)
        x = x if dtype is None else cast(x, known_dtype(dtype))
        if x.ndim > 2:
            raise ValueError(f"cov takes vectors and matrices, got {x} of {x.type} as {name}")
        if x.ndim < 2:
            x = dimshuffle(x, *("x",) * (2 - x.ndim), *range(x.ndim))
        elif not rowvar:
            x = dimshuffle(x, 1, 0)
        rows.append(x)
    x = rows[0] if len(rows) == 1 else concatenate(rows, 0)
    less = ddof if ddof is not None else 0 if bias else 1
    weights = [cast(w, x.dtype) for w in (fweights, aweights) if w is not None]
    if not weights:
        centre = mean(x, axis=1, keepdims=True)
        count = cast(shape_i_op(1)(x), real(x).dtype)
        factor = sub(count, cast(less, count.dtype))
        weighted = sub(x, centre)
    else:
        w = weights[0] if len(weights) == 1 else mul(*weights)
        total = sum_(w)
        centre = true_div(dimshuffle(dot(x, w), 0, "x"), total)
        if aweights is None:
            factor = sub(total, cast(less, total.dtype))
        else:
            spread = true_div(sum_(mul(w, cast(aweights, w.dtype))), total)
            factor = sub(total, mul(cast(less, total.dtype), spread))
        weighted = mul(sub(x, centre), dimshuffle(w, "x", 0))
    result = true_div(
        dot(weighted, conjugated(dimshuffle(sub(x, centre), 1, 0))),
        # as NumPy: a divisor below 0 becomes 0, for infinities and NaN but no negative variances
        cast(maximum(real(factor), const_like(0, real(factor))), x.dtype),
    )
    if len(rows) == 1 and x.broadcastable[0]:
        return dimshuffle(result)
    return result


@documented_in("theano.tensor")
def corrcoef(
    x: TensorLike, y: TensorLike = None, rowvar: bool = True, dtype: DTypeLike = None
) -> TensorVariable:
    """The correlation matrix of variables, which are rows (columns without ``rowvar``).

    >>> import theano.tensor as T
    >>> T.corrcoef([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]).eval().round(6).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return true_div(c, c)
    spread = sqrt(real(diagonal(c)))
    c = true_div(true_div(c, dimshuffle(spread, 0, "x")), dimshuffle(spread, "x", 0))
    if c.dtype in complex_dtypes:
        return c
    # rounding may push a correlation past 1
    return clip(c, const_like(-1, c), const_like(1, c))


@documented_in("theano.tensor")
def trapezoid(
    y: TensorLike, x: TensorLike = None, dx: TensorLike = 1.0, axis: int = -1
) -> TensorVariable:
    """The integral of ``y`` along a dimension, by the trapezoidal rule.

    Parameters
    ----------
    y : tensor or array
    x : tensor or array, optional
        The sample points: a vector, or a tensor with the shape of ``y``.
    dx : number
        The distance between sample points if ``x`` is not given.
    axis : int

    >>> import theano.tensor as T
    >>> T.trapezoid([1.0, 2.0, 3.0]).eval().item()
    4.0
    """
    y = in_floats(y)
    at = one_axis("trapezoid", axis, y.ndim)
    if x is None:
        steps = cast(dx, y.dtype)
    else:
        x = as_tensor_variable(x)
        if x.ndim == 1:
            steps = dimshuffle(diff(x), *(0 if d == at else "x" for d in range(y.ndim)))
        else:
            steps = diff(x, axis=at)
    before = y[(slice(None),) * at + (slice(None, -1),)]
    after = y[(slice(None),) * at + (slice(1, None),)]
    return sum_(true_div(mul(steps, add(before, after)), 2), axis=at)


@documented_in("theano.tensor")
def convolve(a: TensorLike, v: TensorLike, mode: str = "full") -> TensorVariable:
    """The convolution of two vectors, as in NumPy.

    Builds a matrix of all windows of ``a`` of the length of ``v``: meant for short ``v``.

    Parameters
    ----------
    a, v : vectors
    mode : {'full', 'same', 'valid'}
        Return all overlaps, the middle part with the length of the longer vector, or only the
        complete overlaps.

    >>> import theano.tensor as T
    >>> T.convolve([1, 2, 3], [1, 10]).eval().tolist()
    [1, 12, 23, 30]
    """
    a, v = as_tensor_variable(a), as_tensor_variable(v)
    for x in (a, v):
        if x.ndim != 1:
            raise ValueError(f"convolve takes vectors, got {x} of {x.type}")
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"convolve takes 'full', 'same' or 'valid' as mode, got {mode!r}")
    n, m = shape_i_op(0)(a), shape_i_op(0)(v)
    wide = pad(a, sub(m, as_length(1)))
    count = sub(add(n, m), as_length(1))
    windows = dimshuffle(arange(count), 0, "x") + dimshuffle(arange(m), "x", 0)
    whole = dot(wide[windows], flip(v))
    if mode == "full":
        return whole
    short, long = switch(lt(n, m), n, m), switch(lt(n, m), m, n)
    if mode == "valid":
        start, length = sub(short, as_length(1)), add(sub(long, short), as_length(1))
    else:
        start, length = int_div(sub(short, as_length(1)), as_length(2)), long
    return whole[start : add(start, length)]


@documented_in("theano.tensor")
def correlate(a: TensorLike, v: TensorLike, mode: str = "valid") -> TensorVariable:
    """The correlation of two vectors: the convolution with ``v`` reversed and conjugated.

    >>> import theano.tensor as T
    >>> T.correlate([1, 2, 3], [0, 1]).eval().tolist()
    [2, 3]
    """
    a, v = as_tensor_variable(a), as_tensor_variable(v)
    if mode != "same":
        return convolve(a, flip(conjugated(v)), mode)
    whole = convolve(a, flip(conjugated(v)))
    n, m = shape_i_op(0)(a), shape_i_op(0)(v)
    short, long = switch(lt(n, m), n, m), switch(lt(n, m), m, n)
    # NumPy swaps the two if v is longer: the middle is then counted from the other end
    start = int_div(sub(short, switch(lt(n, m), as_length(0), as_length(1))), as_length(2))
    return whole[start : add(start, long)]


@documented_in("theano.tensor")
def ediff1d(ary: TensorLike, to_end: TensorLike = None, to_begin: TensorLike = None) -> Any:
    """The differences of consecutive elements, with ``to_begin`` before and ``to_end`` after them.

    >>> import theano.tensor as T
    >>> T.ediff1d([1, 2, 4], to_end=9).eval().tolist()
    [1, 2, 9]
    """
    x = ravel(ary)
    parts = [diff(x)]
    if to_begin is not None:
        parts.insert(0, cast(ravel(to_begin), x.dtype))
    if to_end is not None:
        parts.append(cast(ravel(to_end), x.dtype))
    return parts[0] if len(parts) == 1 else concatenate(parts, 0)
