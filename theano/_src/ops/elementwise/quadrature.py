"""Slopes of distribution functions in their shape parameters, as integrals.

The slope of P(k, x) in k is the integral of ``(log t - psi(k)) density(t)`` up to x; that to the
right of x is its negative. One of the two has an integrand of one sign, so nothing cancels. In a
logarithm r of t (a logit for the beta distribution) the density falls from x on, at most as fast
as an exponential of an exponential: Gauss-Legendre nodes up to where it has fallen by ``_FALL``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from theano._src.ground.array_types import Array, ArrayNamespace

_FALL = 42.0  # exp(-42) is below the rounding of float64


@cache
def _rule() -> tuple[Any, Any, Any]:
    """Lengths of which one is that of the integral; nodes and weights for length 1."""
    nodes, weights = np.polynomial.legendre.leggauss(64)  # slow to import
    return np.geomspace(1e-10, 1e7, 200), (nodes + 1) / 2, weights / 2


def gammainc_slope(xp: ArrayNamespace, k: Array, x: Array) -> Any:
    """The derivative of the regularised lower incomplete gamma function in k, for k, x > 0."""
    log_x, psi = xp.log(x), xp.special.digamma(k)
    side = xp.where(log_x <= psi, -xp.ones_like(x), xp.ones_like(x))

    def exponent(r: Array, k: Array, x: Array, side: Array) -> Any:
        return side * k * r - x * xp.expm1(xp.minimum(side * r, xp.full_like(r, 80.0)))

    start = (log_x - psi)[..., None]

    def moment(r: Array) -> Any:
        return start + side[..., None] * r

    total = _integral(xp, exponent, moment, (k, x, side), ())
    return -side * total * xp.exp(k * log_x - x - xp.special.gammaln(k))


def betainc_slope(xp: ArrayNamespace, a: Array, b: Array, x: Array, y: Array) -> Any:
    """The derivative in a of the regularised incomplete beta function, for 0 < x < 1, y = 1 - x."""
    log_x, log_y = xp.log(x), xp.log(y)
    psi = xp.special.digamma(a) - xp.special.digamma(a + b)
    side = xp.where(log_x <= psi, -xp.ones_like(x), xp.ones_like(x))

    def grown(r: Array, x: Array, y: Array, side: Array) -> Any:
        """log(x exp(side r) + y)"""
        falls = xp.expm1(-r)
        return xp.where(side < 0, xp.log1p(x * falls), r + xp.log1p(y * falls))

    def exponent(r: Array, a: Array, b: Array, x: Array, y: Array, side: Array) -> Any:
        return side * a * r - (a + b) * grown(r, x, y, side)

    sides = [v[..., None] for v in (x, y, side)]
    start = (log_x - psi)[..., None]

    def moment(r: Array) -> Any:
        return start + sides[2] * r - grown(r, *sides)

    # the density changes its rate where t and 1 - t are equal
    turn = xp.maximum(side * (log_y - log_x), xp.zeros_like(x))
    total = _integral(xp, exponent, moment, (a, b, x, y, side), (turn, turn + 9))
    return -side * total * xp.exp(a * log_x + b * log_y - xp.special.betaln(a, b))


def _integral(
    xp: ArrayNamespace,
    exponent: Callable[..., Any],
    moment: Callable[[Any], Any],
    args: Sequence[Any],
    turns: Sequence[Any],
) -> Any:
    """Integrate ``moment(r) exp(exponent(r, *args))`` over r > 0, in parts that end at turns."""
    wide = [v[..., None] for v in args]

    def constant(values: Any) -> Any:
        return xp.asarray(values, dtype=args[0].dtype)

    ends, nodes, parts = map(constant, _rule())
    falls = exponent(xp.broadcast_to(ends, (*args[0].shape, len(ends))), *wide) < -_FALL
    end = xp.min(xp.where(falls, ends, ends[-1]), -1)
    edges = [xp.zeros_like(end), *(xp.minimum(turn, end) for turn in turns), end]
    edge = xp.stack(edges, -1)
    width = (edge[..., 1:] - edge[..., :-1])[..., None]
    r = edge[..., :-1, None] + width * nodes
    weights = width * parts
    flat = (*end.shape, (len(turns) + 1) * len(nodes))
    r, weights = xp.reshape(r, flat), xp.reshape(weights, flat)
    return xp.sum(xp.exp(exponent(r, *wide)) * moment(r) * weights, -1)
