"""Derivatives of reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.grad_helpers import conjugated
from theano._src.ops.elementwise.arithmetic import second
from theano._src.ops.elementwise.compare import eq, isinf, switch
from theano._src.ops.shape.ranges import arange
from theano._src.types.tensor import TensorVariable

TensorFunction = Callable[[TensorVariable], TensorVariable]


def with_lost_dims(
    x: TensorVariable, y: TensorVariable, axis: tuple[int, ...] | None
) -> TensorVariable:
    """``y``, shaped like a reduction of ``x`` over ``axis``, with these dimensions at length 1."""
    left = iter(range(y.ndim))
    order = ["x" if axis is None or i in axis else next(left) for i in range(x.ndim)]
    return DimShuffle(y.broadcastable, order)(y)


def spread(x: TensorVariable, y: TensorVariable, axis: tuple[int, ...] | None) -> TensorVariable:
    """``y``, shaped like a reduction of ``x`` over ``axis``, broadcast to the shape of ``x``."""
    return second(x, with_lost_dims(x, y, axis))


def _factors(x: TensorVariable, total: TensorFunction) -> tuple[Any, ...]:
    """Split a product of elements such that its derivatives are exact at zeros.

    Each element is a factor u that is not zero, or a factor w whose value is zero. Returns the
    mask of zeros, u, w, the number of zeros, and the product of the w if there is one, and if
    there are two. With three or more, all first and second derivatives are zero.
    """
    zero = eq(x, 0)
    u, w = switch(zero, 1, x), switch(zero, x, 0)
    zeros, s = total(zero), total(w)
    return zero, u, w, zeros, s, (s * s - total(w * w)) / 2


def through_product(
    x: TensorVariable,
    g: TensorVariable,
    product: TensorFunction,
    total: TensorFunction,
    back: TensorFunction,
) -> TensorVariable:
    """The gradient of products of elements of ``x``, exact where there are zeros.

    Parameters
    ----------
    x : tensor
    g : tensor
        The gradient of the products, in a shape that broadcasts with results of ``total``.
    product, total : functions of a tensor of the shape of ``x``
        The products, and the sums, over the same elements; ``product`` never gets a zero.
    back : function
        The transpose of ``total``, in the shape of ``x``.
    """
    # g conj(f'(x)), and f has real coefficients
    x = conjugated(x)
    zero, u, w, zeros, one, two = _factors(x, total)
    none, single, double = (eq(zeros, n) for n in range(3))
    whole = g * product(u)
    # infinity times zero would be NaN
    finite = switch(isinf(whole), 0, whole)
    others = switch(none, whole, switch(single, finite * one, switch(double, finite * two, 0)))
    at_zero = back(switch(single, whole, switch(double, finite * one, 0)))
    return switch(zero, at_zero - w * back(switch(double, finite, 0)), back(others) / u)


def along_product(
    x: TensorVariable, dx: TensorVariable, product: TensorFunction, total: TensorFunction
) -> TensorVariable:
    """The derivative along ``dx`` of products of elements of ``x``; see ``through_product``."""
    zero, u, w, zeros, one, two = _factors(x, total)
    none, single, double = (eq(zeros, n) for n in range(3))
    dw, du = switch(zero, dx, 0), total(switch(zero, 0, dx / u))
    done = total(dw)
    dtwo = one * done - total(w * dw)
    result = switch(single, one * du + done, switch(double, two * du + dtwo, 0))
    return product(u) * switch(none, du, result)


def at_extreme(
    x: TensorVariable, y: TensorVariable, dx: TensorVariable, axis: tuple[int, ...] | None
) -> TensorVariable:
    """The elements of ``dx`` where ``x`` first equals ``y``, its extreme over ``axis``."""
    if axis == ():
        return dx
    place = arange(x.size).reshape(x.shape, ndim=x.ndim)
    first = switch(eq(x, spread(x, y, axis)), place, x.size).min(axis=axis)
    return switch(eq(place, spread(x, first, axis)), dx, 0).sum(axis=axis)
