"""Oracles of linear algebra: mpmath with fifty digits, and the loops of textbooks."""

from __future__ import annotations

import mpmath
import numpy as np

DIGITS = 50


def drawn(rng, *shape, dtype="float64"):
    """Numbers of the normal distribution; complex ones have both parts."""
    made = rng.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        made = made + 1j * rng.normal(size=shape)
    return np.asarray(made, dtype)


def each(function, *stacks, own):
    """``function`` of matrices for all of stacks that stretch; ``own`` dimensions each."""
    fronts = [x.shape[: x.ndim - n] for x, n in zip(stacks, own, strict=True)]
    front = np.broadcast_shapes(*fronts)
    full = [
        np.broadcast_to(x, front + x.shape[x.ndim - n :]) for x, n in zip(stacks, own, strict=True)
    ]
    made = {at: function(*(x[at] for x in full)) for at in np.ndindex(*front)}
    if () in made:
        return made[()]
    first = next(iter(made.values()))
    if isinstance(first, tuple):
        return tuple(_stacked([v[i] for v in made.values()], front) for i in range(len(first)))
    return _stacked(list(made.values()), front)


def _stacked(values, front):
    return np.reshape(np.stack(values), front + np.shape(values[0]))


def exact(x):
    """An array as a matrix of many digits; a vector as a column."""
    x = np.asarray(x)
    rows = x.reshape(len(x), -1) if x.ndim == 1 else x
    made = mpmath.matrix(*rows.shape)
    for at in np.ndindex(*rows.shape):
        v = rows[at]
        made[at] = mpmath.mpc(v.real, v.imag) if rows.dtype.kind == "c" else mpmath.mpf(v.item())
    return made


def rounded(m, dtype):
    """A matrix of many digits as an array."""
    kind = complex if np.dtype(dtype).kind == "c" else float
    return np.array([[kind(m[i, j]) for j in range(m.cols)] for i in range(m.rows)], dtype).reshape(
        m.rows, m.cols
    )


def out_dtype(*arrays):
    return np.result_type("float32", *(x.dtype for x in arrays))


def inverse_of(x):
    with mpmath.workdps(DIGITS):
        return rounded(exact(x) ** -1, out_dtype(x)) if x.size else x


def det_of(x):
    with mpmath.workdps(DIGITS):
        made = _det(exact(x)) if x.size else mpmath.mpf(1)
        return np.asarray(complex(made) if x.dtype.kind == "c" else float(made), out_dtype(x))


def slogdet_of(x):
    real = np.empty(0, out_dtype(x)).real.dtype
    with mpmath.workdps(DIGITS):
        made = _det(exact(x)) if x.size else mpmath.mpf(1)
        size = abs(made)
        sign = made / size if size else made
        sign = complex(sign) if x.dtype.kind == "c" else float(sign)
        log = float(mpmath.log(size)) if size else -np.inf
        return np.asarray(sign, out_dtype(x)), np.asarray(log, real)


def _det(m):
    """By the first row (Laplace)."""
    if m.rows == 1:
        return m[0, 0]
    total = mpmath.mpf(0)
    for j in range(m.cols):
        rest = [k for k in range(m.cols) if k != j]
        minor = mpmath.matrix([[m[i, k] for k in rest] for i in range(1, m.rows)])
        total += (-1) ** j * m[0, j] * _det(minor)
    return total


def pinv_of(x):
    """Of a matrix of full rank."""
    with mpmath.workdps(DIGITS):
        m = exact(x)
        h = m.H
        made = (h * m) ** -1 * h if m.rows >= m.cols else h * (m * h) ** -1
        return rounded(made, out_dtype(x))


def solve_of(a, b):
    """Gauss's elimination, with the largest pivot."""
    dtype = out_dtype(a, b)
    if not a.size:
        return b.astype(dtype)
    with mpmath.workdps(DIGITS):
        m, r = exact(a), exact(b)
        n = m.rows
        for k in range(n):
            p = max(range(k, n), key=lambda i: abs(m[i, k]))
            for j in range(n):
                m[k, j], m[p, j] = m[p, j], m[k, j]
            for j in range(r.cols):
                r[k, j], r[p, j] = r[p, j], r[k, j]
            for i in range(n):
                if i != k:
                    f = m[i, k] / m[k, k]
                    for j in range(n):
                        m[i, j] -= f * m[k, j]
                    for j in range(r.cols):
                        r[i, j] -= f * r[k, j]
        for i in range(n):
            for j in range(r.cols):
                r[i, j] /= m[i, i]
        return rounded(r, dtype).reshape(b.shape)


def triangle_of(a, lower, trans=0, unit_diagonal=False):
    """The matrix that a triangular solver means."""
    made = np.zeros_like(a)
    for i, j in np.ndindex(*a.shape):
        if (i >= j) if lower else (i <= j):
            made[i, j] = 1 if i == j and unit_diagonal else a[i, j]
    made = made if trans in (0, "N") else made.T
    return made.conj() if trans in (2, "C") else made


def cholesky_of(x, lower=True):
    """Row by row (Cholesky and Banachiewicz); of the lower triangle, or of the upper."""
    dtype = out_dtype(x)
    with mpmath.workdps(DIGITS):
        m = exact(x if lower else x.conj().T)
        made = mpmath.matrix(m.rows, m.cols)
        for i in range(m.rows):
            for j in range(i + 1):
                known = sum((made[i, k] * mpmath.conj(made[j, k]) for k in range(j)), mpmath.mpf(0))
                if i == j:
                    made[i, i] = mpmath.sqrt(mpmath.re(m[i, i]) - mpmath.re(known))
                else:
                    made[i, j] = (m[i, j] - known) / made[j, j]
        out = rounded(made, dtype)
        return out if lower else out.conj().T
