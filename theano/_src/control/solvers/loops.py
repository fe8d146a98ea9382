"""The compiled loops of roots and minima: functions of an array namespace with ``while_loop``.

Each takes the functions of the op, the values to start with and SciPy's options; it returns the
solution and whether the method converged. Where a function gives NaN, a step is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

_GOLDEN = (3 - 5**0.5) / 2


def _until(maxiter: int) -> Callable[[Any], Any]:
    """The condition of a loop whose values begin with its steps and a state that is 0 at first."""
    return lambda carry: (carry[0] < maxiter) & (carry[1] == 0)


def _norm(xp: Any, x: Any) -> Any:
    return xp.sqrt(xp.sum(x * x))


def _pick(xp: Any, take: Any, new: Sequence[Any], old: Sequence[Any]) -> list[Any]:
    return [xp.where(take, a, b) for a, b in zip(new, old, strict=True)]


def hybrid(
    xp: Any,
    calls: Sequence[Callable[..., Any]],
    starts: Sequence[Any],
    tol: Any = None,
    xtol: float = 1.49012e-08,
    maxfev: int = 0,
) -> tuple[Any, Any]:
    """Powell's hybrid method: a dogleg step within a trust region, with the exact Jacobian.

    Powell (1970), A hybrid method for nonlinear equations; the constants are those of MINPACK.
    """
    (x,) = starts
    xtol = xtol if tol is None else tol
    if calls[0](x)[0].shape != x.shape:
        raise ValueError(
            f"root takes as many equations as unknowns, got shape {calls[0](x)[0].shape} for "
            f"{x.shape}; for more equations minimize the sum of their squares"
        )
    limit = maxfev or 100 * (x.shape[0] + 1)

    def scales(slope: Any, old: Any) -> Any:
        columns = xp.sqrt(xp.sum(slope * slope, axis=0))
        return xp.maximum(old, columns)

    def dogleg(f: Any, slope: Any, scale: Any, radius: Any) -> tuple[Any, Any, Any]:
        """Return the step, its scaled length, and whether it is the whole Newton step."""
        newton = xp.linalg.solve(slope, -f)
        far = _norm(xp, scale * newton)
        regular = xp.isfinite(far)
        newton = xp.where(regular, newton, 0)
        whole = regular & (far <= radius)
        down = -(f @ slope) / scale
        length = _norm(xp, down)
        best = (length / _norm(xp, slope @ (down / scale))) ** 2
        cauchy = xp.where(length > 0, best * down, 0)
        ahead = _norm(xp, cauchy)
        # to the border of the region: along the gradient, or from Cauchy's point to Newton's
        along = xp.where(length > 0, down * (radius / length), 0)
        rest = scale * newton - cauchy
        a, b, c = xp.sum(rest * rest), xp.sum(rest * cauchy), ahead**2 - radius**2
        share = -c / (b + xp.sqrt(xp.maximum(b * b - a * c, 0)))
        bent = cauchy + xp.where(a > 0, share, 0) * rest
        step = xp.where(
            whole,
            scale * newton,
            xp.where(ahead >= radius, along, xp.where(regular, bent, cauchy)),
        )
        return step / scale, _norm(xp, step), whole

    def body(carry: Any) -> Any:
        k, _, x, f, slope, scale, radius = carry
        scale_now = xp.where(scale > 0, scale, 1)
        step, length, whole = dogleg(f, slope, scale_now, radius)
        new, size = x + step, _norm(xp, f)
        f_new = calls[0](new)[0]
        size_new = _norm(xp, f_new)
        ahead = _norm(xp, f + slope @ step)
        gain = 1 - (size_new / size) ** 2
        ratio = xp.where(size > ahead, gain / (1 - (ahead / size) ** 2), 0)
        good = xp.isfinite(size_new) & (ratio >= 1e-4)
        wide = xp.maximum(radius, 2 * length)
        radius = xp.where(
            good & (ratio >= 0.1), xp.where((ratio >= 0.5) | whole, wide, radius), length / 2
        )
        # a Newton step of rounding errors alone may not lower |f|
        short = xp.sqrt(xp.sum(step * step)) <= xtol * (_norm(xp, x) + xtol)
        done = (size_new == 0) | (whole & short)
        stuck = ~(radius > 1e-30) | (~whole & short & ~good)
        better = good | (done & (size_new < size))
        x, f = _pick(xp, better, [new, f_new], [x, f])
        slope = calls[1](x)[0]
        state = xp.where(done, 1, xp.where(stuck, 2, 0))
        return k + 1, state, x, f, slope, scales(slope, scale), radius

    f, slope = calls[0](x)[0], calls[1](x)[0]
    scale = scales(slope, xp.zeros_like(x))
    length = _norm(xp, xp.where(scale > 0, scale, 1) * x)
    radius = xp.where(length > 0, 100 * length, xp.asarray(100, x.dtype))
    state = xp.where(xp.all(f == 0), 1, 0)
    carry = (xp.asarray(0), state, x, f, slope, scale, radius)
    _, state, x, *_ = xp.while_loop(_until(limit), body, carry)
    return x, state == 1


def bfgs(
    xp: Any,
    calls: Sequence[Callable[..., Any]],
    starts: Sequence[Any],
    tol: Any = None,
    gtol: float = 1e-5,
    maxiter: int | None = None,
) -> tuple[Any, Any]:
    """The method of Broyden, Fletcher, Goldfarb and Shanno, with a search for a Wolfe point."""
    (x,) = starts
    gtol = gtol if tol is None else tol
    n = x.shape[0]
    limit = 200 * n if maxiter is None else maxiter
    fun = calls[0]
    identity = xp.eye(n, dtype=x.dtype)
    slack = 4 * np.finfo(x.dtype).eps

    def search(x: Any, f: Any, g: Any, way: Any, first: Any) -> tuple[Any, Any, Any, Any]:
        """Bisect for a step with a lower value and a flatter slope (Lewis and Overton, 2013)."""
        down = xp.sum(g * way)

        def body(carry: Any) -> Any:
            k, _, step, low, high, *best = carry
            new = x + step * way
            f_new, g_new = fun(new)
            lower = f_new <= f + 1e-4 * step * down + slack * xp.abs(f)
            flat = xp.sum(g_new * way) >= 0.9 * down
            high = xp.where(lower, high, step)
            low = xp.where(lower, step, low)
            best = _pick(
                xp, lower & (f_new <= best[1] + slack * xp.abs(f)), [new, f_new, g_new], best
            )
            following = xp.where(xp.isfinite(high), (low + high) / 2, 2 * step)
            return k + 1, lower & flat, following, low, high, *best

        zero, inf = xp.zeros_like(first), xp.full_like(first, np.inf)
        carry = (xp.asarray(0), xp.asarray(False), first, zero, inf, x, f, g)
        _, fine, _, low, _, *best = xp.while_loop(_until(60), body, carry)
        return (fine | (low > 0)), *best

    def body(carry: Any) -> Any:
        k, _, x, f, g, inverse, fresh = carry
        way = -(inverse @ g)
        first = xp.where(fresh, xp.minimum(1, 1 / _norm(xp, g)), xp.asarray(1.0, x.dtype))
        moved, x_new, f_new, g_new = search(x, f, g, way, xp.astype(first, x.dtype))
        s, y = x_new - x, g_new - g
        sy = xp.sum(s * y)
        curved = sy > 0
        rho = 1 / xp.where(curved, sy, 1)
        # before the first update, the size of the second derivative along the step
        start = xp.where(fresh, sy / xp.where(curved, xp.sum(y * y), 1), 1) * inverse
        left = identity - rho * s[:, None] * y[None, :]
        updated = left @ start @ left.T + rho * s[:, None] * s[None, :]
        inverse = xp.where(curved, updated, inverse)
        fine = xp.max(xp.abs(g_new)) <= gtol
        # without a lower point, once more along the gradient, then give up
        state = xp.where(fine, 1, xp.where(~moved & fresh, 2, 0))
        inverse = xp.where(moved, inverse, identity)
        return k + 1, state, x_new, f_new, g_new, inverse, fresh & ~(moved & curved) | ~moved

    f, g = fun(x)
    state = xp.where(xp.max(xp.abs(g)) <= gtol, 1, 0)
    carry = (xp.asarray(0), state, x, f, g, identity, xp.asarray(True))
    _, state, x, *_ = xp.while_loop(_until(limit), body, carry)
    return x, (state == 1) & xp.all(xp.isfinite(x))


def secant(
    xp: Any,
    calls: Sequence[Callable[..., Any]],
    starts: Sequence[Any],
    tol: float = 1.48e-8,
    xtol: float | None = None,
    rtol: float = 0.0,
    maxiter: int = 50,
) -> tuple[Any, Any]:
    """The secant method, from a start and a point near it."""
    (x0,) = starts
    xtol = tol if xtol is None else xtol
    fun = calls[0]
    x1 = x0 * (1 + 1e-4) + xp.where(x0 >= 0, 1e-4, -1e-4)
    x1 = xp.astype(x1, x0.dtype)

    def body(carry: Any) -> Any:
        k, _, x0, f0, x1, f1 = carry
        level = f1 == f0
        new = x1 - f1 * (x1 - x0) / xp.where(level, 1, f1 - f0)
        new = xp.where(level, (x0 + x1) / 2, new)
        near = xp.abs(new - x1) <= xtol + rtol * xp.abs(x1)
        state = xp.where(level, xp.where(x0 == x1, 1, 2), xp.where(near, 1, 0))
        return k + 1, state, x1, f1, new, fun(new)[0]

    f0, f1 = fun(x0)[0], fun(x1)[0]
    # as SciPy: the better point is the newer one
    swap = xp.abs(f1) < xp.abs(f0)
    (a, fa), (b, fb) = (_pick(xp, swap, [x0, f0], [x1, f1]), _pick(xp, swap, [x1, f1], [x0, f0]))
    _, state, _, _, x, _ = xp.while_loop(
        _until(maxiter), body, (xp.asarray(0), xp.asarray(0), a, fa, b, fb)
    )
    return x, (state == 1) & xp.isfinite(x)


def newton(
    xp: Any,
    calls: Sequence[Callable[..., Any]],
    starts: Sequence[Any],
    tol: float = 1.48e-8,
    xtol: float | None = None,
    rtol: float = 0.0,
    maxiter: int = 50,
) -> tuple[Any, Any]:
    """Newton's method; Halley's if the function gives the second derivative too."""
    xtol = tol if xtol is None else xtol

    def body(carry: Any) -> Any:
        k, _, x = carry
        f, slope, *second = calls[0](x)
        step = f / xp.where(slope == 0, 1, slope)
        if second:
            bend = step * second[0] / xp.where(slope == 0, 1, slope) / 2
            step = xp.where(xp.abs(bend) < 1, step / (1 - bend), step)
        new = x - step
        near = xp.abs(step) <= xtol + rtol * xp.abs(x)
        state = xp.where(f == 0, 1, xp.where(slope == 0, 2, xp.where(near, 1, 0)))
        return k + 1, state, xp.where((f == 0) | (slope == 0), x, new)

    _, state, x = xp.while_loop(_until(maxiter), body, (xp.asarray(0), xp.asarray(0), starts[0]))
    return x, (state == 1) & xp.isfinite(x)


_XTOL, _RTOL = 2e-12, 4 * float(np.finfo("float64").eps)


def bisect(
    xp: Any,
    calls: Sequence[Callable[..., Any]],
    starts: Sequence[Any],
    tol: float | None = None,
    xtol: float = _XTOL,
    rtol: float = _RTOL,
    maxiter: int = 100,
) -> tuple[Any, Any]:
    """Halve a bracket until it is as short as the tolerance."""
    a, b = starts
    xtol = xtol if tol is None else tol
    fa, fb = calls[0](a)[0], calls[0](b)[0]

    def body(carry: Any) -> Any:
        k, _, x, width = carry
        width = width / 2
        middle = x + width
        f = calls[0](middle)[0]
        x = xp.where(xp.sign(f) * xp.sign(fa) >= 0, middle, x)
        return k + 1, (f == 0) | (xp.abs(width) < xtol + rtol * xp.abs(middle)), x, width

    end = (fa == 0) | (fb == 0)
    carry = (xp.asarray(0), end, xp.where(fa == 0, a, xp.where(fb == 0, b, a)), b - a)
    _, done, x, _ = xp.while_loop(_until(maxiter), body, carry)
    inside = xp.sign(fa) * xp.sign(fb) <= 0
    return x, done & inside & xp.isfinite(fa) & xp.isfinite(fb)


def brentq(
    xp: Any,
    calls: Sequence[Callable[..., Any]],
    starts: Sequence[Any],
    tol: float | None = None,
    xtol: float = _XTOL,
    rtol: float = _RTOL,
    maxiter: int = 100,
) -> tuple[Any, Any]:
    """Brent's method: inverse quadratic interpolation where it converges, else bisection.

    Brent (1973), Algorithms for Minimization without Derivatives, chapter 4.
    """
    a, b = starts
    xtol = xtol if tol is None else tol

    def body(carry: Any) -> Any:
        # x is the best point, c the other end of the bracket, a the point before x
        k, _, (a, fa), (x, fx), (c, fc), before, last = carry
        crossed = xp.sign(fa) * xp.sign(fx) < 0
        c, fc = _pick(xp, crossed, [a, fa], [c, fc])
        before, last = _pick(xp, crossed, [x - a, x - a], [before, last])
        swap = xp.abs(fc) < xp.abs(fx)
        (a, fa), (x, fx), (c, fc) = (
            _pick(xp, swap, [x, fx], [a, fa]),
            _pick(xp, swap, [c, fc], [x, fx]),
            _pick(xp, swap, [x, fx], [c, fc]),
        )
        near, half = (xtol + rtol * xp.abs(x)) / 2, (c - x) / 2
        done = (fx == 0) | (xp.abs(half) < near)
        line = -fx * (x - a) / _nonzero(xp, fx - fa)
        to_a, to_c = (fa - fx) / _nonzero(xp, a - x), (fc - fx) / _nonzero(xp, c - x)
        curve = -fx * (fc * to_c - fa * to_a) / _nonzero(xp, to_c * to_a * (fc - fa))
        step = xp.where(a == c, line, curve)
        fits = (xp.abs(before) > near) & (xp.abs(fx) < xp.abs(fa))
        fits &= 2 * xp.abs(step) < xp.minimum(xp.abs(before), 3 * xp.abs(half) - near)
        before, last = _pick(xp, fits, [last, step], [half, half])
        least = xp.where(half > 0, near, -near)
        new = xp.where(done, x, x + xp.where(xp.abs(last) > near, last, least))
        return k + 1, done, (x, fx), (new, calls[0](new)[0]), (c, fc), before, last

    fa, fb = calls[0](a)[0], calls[0](b)[0]
    zero = xp.zeros_like(a)
    start = _pick(xp, fa == 0, [a, fa], [b, fb])
    carry = (xp.asarray(0), start[1] == 0, (a, fa), tuple(start), (b, fb), zero, zero)
    _, done, _, (x, _), *_ = xp.while_loop(_until(maxiter), body, carry)
    inside = xp.sign(fa) * xp.sign(fb) <= 0
    return x, done & inside & xp.isfinite(fa) & xp.isfinite(fb)


def _nonzero(xp: Any, x: Any) -> Any:
    return xp.where(x == 0, 1, x)


def brent(
    xp: Any,
    calls: Sequence[Callable[..., Any]],
    starts: Sequence[Any],
    tol: float = 1.48e-8,
    xtol: float | None = None,
    maxiter: int = 500,
) -> tuple[Any, Any]:
    """Search downhill from two points for a bracket, then Brent's method inside it."""
    a, b = starts

    def fun(x: Any) -> Any:
        return calls[0](x)[0]

    a, b = _pick(xp, fun(a) < fun(b), [b, a], [a, b])

    def goes_on(carry: Any) -> Any:
        k, _, (_, fb), (_, fc) = carry
        return (k < 300) & (fc < fb)

    def body(carry: Any) -> Any:
        k, _, (b, fb), (c, fc) = carry
        new = c + (1 / _GOLDEN - 1) * (c - b)
        return k + 1, (b, fb), (c, fc), (new, fun(new))

    c = b + (1 / _GOLDEN - 1) * (b - a)
    carry = (xp.asarray(0), (a, fun(a)), (b, fun(b)), (c, fun(c)))
    _, (a, _), (b, fb), (c, fc) = xp.while_loop(goes_on, body, carry)
    low, high = xp.minimum(a, c), xp.maximum(a, c)
    rtol = tol if xtol is None else xtol
    x, done = _between(xp, fun, low, high, b, rtol, 1e-11, maxiter)
    return x, done & (fc >= fb)


def bounded(
    xp: Any,
    calls: Sequence[Callable[..., Any]],
    starts: Sequence[Any],
    tol: float | None = None,
    xatol: float = 1e-5,
    maxiter: int = 500,
) -> tuple[Any, Any]:
    """Brent's method between two bounds."""
    low, high = starts

    def fun(x: Any) -> Any:
        return calls[0](x)[0]

    xatol = xatol if tol is None else tol
    start = low + _GOLDEN * (high - low)
    rtol = float(np.sqrt(np.finfo("float64").eps))
    x, done = _between(xp, fun, low, high, start, rtol, xatol / 3, maxiter)
    return x, done & (low <= high)


def _between(
    xp: Any, fun: Any, low: Any, high: Any, x: Any, rtol: float, atol: float, maxiter: int
) -> tuple[Any, Any]:
    """Brent's minimization: parabolas through the three best points, else golden sections.

    Brent (1973), chapter 5.
    """

    def goes_on(carry: Any) -> Any:
        k, low, high, (x, _), *_ = carry
        near, middle = rtol * xp.abs(x) + atol, (low + high) / 2
        return (k < maxiter) & ~(xp.abs(x - middle) <= 2 * near - (high - low) / 2)

    def body(carry: Any) -> Any:
        k, low, high, (x, fx), (w, fw), (v, fv), before, last = carry
        near, middle = rtol * xp.abs(x) + atol, (low + high) / 2
        r, q = (x - w) * (fx - fv), (x - v) * (fx - fw)
        p, q = (x - v) * q - (x - w) * r, 2 * (q - r)
        p, q = xp.where(q > 0, -p, p), xp.abs(q)
        fits = (xp.abs(before) > near) & (xp.abs(p) < xp.abs(q * before / 2))
        fits &= (p > q * (low - x)) & (p < q * (high - x))
        curve = p / _nonzero(xp, q)
        edge = (x + curve - low < 2 * near) | (high - x - curve < 2 * near)
        curve = xp.where(edge, xp.where(x < middle, near, -near), curve)
        longer = xp.where(x < middle, high - x, low - x)
        before, last = _pick(xp, fits, [last, curve], [longer, _GOLDEN * longer])
        least = xp.where(last > 0, near, -near)
        u = x + xp.where(xp.abs(last) >= near, last, least)
        fu = fun(u)
        better = fu <= fx
        low, high = (
            xp.where(better, xp.where(u >= x, x, low), xp.where(u < x, u, low)),
            xp.where(better, xp.where(u >= x, high, x), xp.where(u < x, high, u)),
        )
        second = better | (fu <= fw) | (w == x)
        third = second | (fu <= fv) | (v == x) | (v == w)
        v, fv = _pick(xp, third, _pick(xp, second, [w, fw], [u, fu]), [v, fv])
        w, fw = _pick(xp, second, _pick(xp, better, [x, fx], [u, fu]), [w, fw])
        x, fx = _pick(xp, better, [u, fu], [x, fx])
        return k + 1, low, high, (x, fx), (w, fw), (v, fv), before, last

    best = (x, fun(x))
    zero = xp.zeros_like(x)
    carry = (xp.asarray(0), low, high, best, best, best, zero, zero)
    k, low, high, (x, fx), *_ = xp.while_loop(goes_on, body, carry)
    return x, (k < maxiter) & xp.isfinite(fx)
