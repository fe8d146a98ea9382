"""Differential equations as compiled loops: adaptive steps, and the adjoint equation over them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np


class Tableau(NamedTuple):
    """The coefficients of a Runge-Kutta method."""

    A: Any
    b: Any
    c: Any


@cache
def dormand_prince() -> tuple[Tableau, Any]:
    """Return the method of order 5, and the weights of its error estimate, from SciPy."""
    from scipy.integrate import RK45

    return Tableau(RK45.A, RK45.B, RK45.C), RK45.E


@cache
def interpolating() -> Any:
    """Return the weights of the slopes, also after the step, in each power of the time passed."""
    from scipy.integrate import RK45

    return RK45.P


class Radau(NamedTuple):
    """Radau IIA of order 5 (Hairer and Wanner, Solving ODEs II, section IV.8).

    ``to`` and ``back`` transform the inverse of A into one real and one complex number.
    """

    tableau: Tableau
    error: Any
    real: float
    pair: complex
    to: Any
    back: Any


@cache
def radau() -> Radau:
    r = math.sqrt(6)
    A = np.array(
        [
            [(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225],
            [(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225],
            [(16 - r) / 36, (16 + r) / 36, 1 / 9],
        ]
    )
    values, vectors = np.linalg.eig(np.linalg.inv(A))
    k, j = int(np.argmin(np.abs(values.imag))), int(np.argmax(values.imag))
    # real vectors: of the real number, and both parts of the vector of the pair
    to = np.stack([vectors[:, k].real, vectors[:, j].real, vectors[:, j].imag], axis=1)
    error = np.array([-13 - 7 * r, -13 + 7 * r, -1]) / 3
    tableau = Tableau(A, A[2], np.array([(4 - r) / 10, (4 + r) / 10, 1]))
    return Radau(tableau, error, float(values[k].real), complex(values[j]), to, np.linalg.inv(to))


_NEWTON = 7


class Equation:
    """One equation with its parameters, in terms of an array namespace.

    ``calls`` are f(y, t) and, for implicit methods, its Jacobian.
    """

    def __init__(
        self,
        xp: Any,
        method: str,
        calls: Sequence[Callable[..., list[Any]]],
        options: dict[str, Any],
    ) -> None:
        self.xp = xp

        def call(k: int) -> Callable[[Any, Any], Any]:
            return lambda y, t: calls[k](y, t)[0]

        self.f, self.slope = call(0), call(1)
        self.rtol, self.atol = options["rtol"], options["atol"]
        self.max_steps = options["max_steps"]
        self.is_implicit = method == "Radau"
        self.tableau = radau().tableau if self.is_implicit else dormand_prince()[0]
        self.attempt = self._radau if self.is_implicit else self._dormand_prince
        #: 1 / (order of the error estimate + 1)
        self.power = 1 / 4 if self.is_implicit else 1 / 5

    def _size(self, error: Any, y: Any, new: Any) -> Any:
        xp = self.xp
        scale = self.atol + self.rtol * xp.maximum(xp.abs(y), xp.abs(new))
        return xp.sqrt(xp.mean((error / scale) ** 2))

    # steps

    def _dormand_prince(self, y: Any, t: Any, h: Any) -> tuple[Any, Any, Any, Any]:
        """Return the stages' states and slopes, the new state, and twice the size of the error."""
        xp, (A, b, c) = self.xp, self.tableau
        slopes: list[Any] = []
        states: list[Any] = []
        for row, at in zip(A, c, strict=True):
            states.append(y + h * sum(w * k for w, k in zip(row, slopes, strict=False) if w))
            slopes.append(self.f(states[-1], t + at * h))
        new = y + h * sum(w * k for w, k in zip(b, slopes, strict=True))
        slopes.append(self.f(new, t + h))
        error = h * sum(w * k for w, k in zip(dormand_prince()[1], slopes, strict=True) if w)
        stages = xp.stack(states), xp.stack(slopes)
        size = self._size(error, y, new)
        return stages, new, size, size

    def _radau(self, y: Any, t: Any, h: Any) -> tuple[Any, Any, Any, Any]:
        """Return the stages' states and increments, the new state, and two sizes of the error.

        The second is for a step that follows one that was rejected.
        """
        xp, method = self.xp, radau()
        c = method.tableau.c
        slope, speed = self.slope(y, t), self.f(y, t)
        one = xp.eye(y.shape[0], dtype=slope.dtype)
        whole = "complex64" if y.dtype == "float32" else "complex128"
        real = xp.slinalg.lu_factor(method.real / h * one - slope)
        pair = xp.slinalg.lu_factor(xp.astype(method.pair / h * one - slope, whole))
        # the error of the equations is to be small beside that of the step
        eps = float(np.finfo(y.dtype).eps)
        tol = max(10 * eps / self.rtol, min(0.03, self.rtol**0.5))
        to, back = (xp.astype(xp.asarray(m), y.dtype) for m in (method.to, method.back))

        def goes_on(carry: Any) -> Any:
            k, state = carry[:2]
            return (k < _NEWTON) & (state == 0)

        def body(carry: Any) -> Any:
            k, _, Z, W, before = carry
            F = xp.stack([self.f(y + Z[i], t + c[i] * h) for i in range(3)])
            G = back @ F
            first = xp.slinalg.lu_solve(real, G[0] - method.real / h * W[0])
            # W[1] + i W[2] belongs to the conjugate number
            rest = xp.slinalg.lu_solve(
                pair, G[1] - 1j * G[2] - method.pair / h * (W[1] - 1j * W[2])
            )
            step = xp.stack([first, xp.real(rest), -xp.imag(rest)])
            size = xp.sqrt(xp.mean((step / (self.atol + self.rtol * xp.abs(y))) ** 2))
            rate = xp.where(k > 0, size / before, 0.0)
            W = W + step
            left = rate / (1 - rate) * size
            done = (size == 0) | ((k > 0) & (rate < 1) & (left < tol))
            diverges = ~xp.isfinite(size) | ((k > 0) & (rate >= 1))
            return k + 1, xp.where(done, 1, xp.where(diverges, 2, 0)), to @ W, W, size

        zero = xp.zeros((3, y.shape[0]), y.dtype)
        start = (xp.asarray(0), xp.asarray(0), zero, zero, xp.asarray(1.0, y.dtype))
        _, state, Z, _, _ = xp.while_loop(goes_on, body, start)
        new = y + Z[2]
        jump = sum(w * z for w, z in zip(method.error, Z, strict=True)) / h
        error = xp.slinalg.lu_solve(real, speed + jump)
        size = self._size(error, y, new)
        # a filtered estimate, which vanishes for very stiff components
        filtered = xp.slinalg.lu_solve(real, self.f(y + error, t) + jump)
        sizes = [xp.where(state == 1, x, np.inf) for x in (size, self._size(filtered, y, new))]
        return (y + Z, Z), new, *sizes

    def _first(self, y: Any, t: Any, sign: Any, length: Any) -> Any:
        """Return a first step (Hairer, Norsett and Wanner, Solving ODEs I, section II.4)."""
        xp = self.xp
        speed = self.f(y, t)
        d0, d1 = self._size(y, y, y), self._size(speed, y, y)
        h = xp.where((d0 < 1e-5) | (d1 < 1e-5), 1e-6, 0.01 * d0 / xp.where(d1 == 0, 1, d1))
        h = xp.minimum(h, length)
        after = self.f(y + sign * h * speed, t + sign * h)
        d2 = self._size(after - speed, y, y) / h
        most = xp.maximum(d1, d2)
        further = xp.where(
            most <= 1e-15,
            xp.maximum(1e-6, h * 1e-3),
            (0.01 / xp.where(most == 0, 1, most)) ** self.power,
        )
        return xp.astype(xp.minimum(100 * h, further), y.dtype)

    def _controlled(self, a: Any, b: Any) -> Callable[[Any, Any, Any], Any]:
        """Return one attempt of a step from a to b: of the state, the time passed and the step.

        It returns them afterwards, whether the attempt was accepted, the step that it took, and
        the states of its stages. A negative step follows an attempt that was rejected.
        """
        xp = self.xp
        sign, length = xp.sign(b - a), xp.abs(b - a)

        def attempt(y: Any, passed: Any, h: Any) -> Any:
            is_again, h = h < 0, xp.abs(h)
            clipped = passed + h >= length
            step = xp.where(clipped, length - passed, h)
            (states, _), new, size, filtered = self.attempt(y, a + sign * passed, sign * step)
            size = xp.where(is_again & (size > 1), filtered, size)
            fine = size <= 1  # False for NaN
            size = xp.where(xp.isfinite(size), xp.maximum(size, 1e-10), 1e10)
            factor = xp.minimum(10.0, xp.maximum(0.2, 0.9 * size ** (-self.power)))
            following = xp.astype(step * factor, y.dtype)
            # a short last step says nothing against a longer one
            following = xp.where(fine & clipped, xp.maximum(h, following), following)
            following = xp.where(fine, following, -following)
            y = xp.where(fine, new, y)
            passed = xp.where(fine, xp.where(clipped, length, passed + step), passed)
            return y, passed, following, fine, sign * step, states

        return attempt

    def states(self, y0: Any, ts: Any) -> tuple[Any, Any]:
        """Return the state at each time, and whether every time was reached."""
        xp = self.xp
        ts = xp.astype(ts, y0.dtype)
        if y0.shape[0] == 0 or ts.shape[0] < 2:
            return xp.broadcast_to(y0, (ts.shape[0], *y0.shape)), xp.asarray(True)
        order = (ts[1:] - ts[:-1]) * xp.sign(ts[-1] - ts[0])

        def interval(carry: Any, ends: Any) -> Any:
            y, h, fine = carry
            a, b = ends
            length, attempt = xp.abs(b - a), self._controlled(a, b)

            def goes_on(carry: Any) -> Any:
                k, _, passed, h = carry
                return (k < self.max_steps) & (passed < length) & self._moves(a, passed, h)

            def body(carry: Any) -> Any:
                k, y, passed, h = carry
                y, passed, h, *_ = attempt(y, passed, h)
                return k + 1, y, passed, h

            start = (xp.asarray(0), y, xp.zeros_like(length), h)
            _, y, passed, h = xp.while_loop(goes_on, body, start)
            return (y, h, fine & (passed >= length)), [y]

        h = self._first(y0, ts[0], xp.sign(ts[-1] - ts[0]), xp.abs(ts[-1] - ts[0]))
        start = (y0, h, xp.asarray(True))
        (_, _, fine), (rows,) = xp.scan(interval, start, [ts[:-1], ts[1:]], ts.shape[0] - 1, False)
        rows = xp.concatenate([y0[None], rows])
        return rows, fine & xp.all(order >= 0) & xp.all(xp.isfinite(rows))

    def _moves(self, a: Any, passed: Any, h: Any) -> Any:
        """Whether a step is longer than the spacing of numbers at its time."""
        eps = float(np.finfo(h.dtype).eps)
        return self.xp.abs(h) > 4 * eps * (self.xp.abs(a) + passed)

    # the adjoint

    def pulled_back(
        self, ts: Any, ys: Any, g: Any, pull: Any, pull_own: Any, zeros: Sequence[Any]
    ) -> tuple[Any, list[Any], Any]:
        """Return the gradients of the first state and of the parameters, and whether all is well.

        Between two times the steps are taken once more: first to store checkpoints, then block by
        block, from the last to the first, to store the steps of one block. The adjoint equation
        is solved back over each of them, with steps of its own. Memory is that of the checkpoints
        and of one block, whatever the number of steps.
        """
        xp = self.xp
        n = ts.shape[0]
        ts = xp.astype(ts, ys.dtype)
        if ys.shape[1] == 0 or n == 0:
            return xp.zeros(ys.shape[1:], ys.dtype), list(zeros), xp.asarray(True)
        if n == 1:
            return g[0], list(zeros), xp.asarray(True)

        def interval(carry: Any, row: Any) -> Any:
            v, own, fine = carry
            a, b, y, more = row
            v, own, well = self._interval(a, b, y, v, own, pull, pull_own)
            return (v + more, own, fine & well), []

        start = (g[-1], list(zeros), xp.asarray(True))
        rows = [ts[:-1], ts[1:], ys[:-1], g[:-1]]
        (v, own, fine), _ = xp.scan(interval, start, rows, n - 1, True)
        return v, own, fine

    def _interval(
        self, a: Any, b: Any, y: Any, v: Any, own: Any, pull: Any, pull_own: Any
    ) -> tuple[Any, Any, Any]:
        xp = self.xp
        count = math.isqrt(self.max_steps) + 1
        length, attempt = xp.abs(b - a), self._controlled(a, b)
        h = self._first(y, a, xp.sign(b - a), length)
        zero = xp.zeros_like(length)
        rows = xp.zeros((count, *y.shape), y.dtype)
        column = xp.zeros((count,), y.dtype)

        def goes_on(carry: Any) -> Any:
            k, _, (_, passed, h), *_ = carry
            return (k < self.max_steps) & (passed < length) & self._moves(a, passed, h)

        def mark(carry: Any) -> Any:
            # every `every`-th accepted step; if there is no room, every other one is dropped
            k, done, (y, passed, h), marks, every, used = carry
            full = used == count
            marks = [xp.where(full, self._halved(m), m) for m in marks]
            every = xp.where(full, 2 * every, every)
            used = xp.where(full, (count + 1) // 2, used)
            due = done == used * every
            marks = [
                xp.where(due, xp.put_row(m, x, xp.minimum(used, count - 1)), m)
                for m, x in zip(marks, (y, passed, h), strict=True)
            ]
            used = xp.where(due, used + 1, used)
            y, passed, h, fine, *_ = attempt(y, passed, h)
            return k + 1, xp.where(fine, done + 1, done), (y, passed, h), marks, every, used

        one = xp.asarray(1)
        start = (xp.asarray(0), xp.asarray(0), (y, zero, h), [rows, column, column], one, one * 0)
        _, _, (_, passed, _), marks, every, used = xp.while_loop(goes_on, mark, start)
        reached = passed >= length

        def block(carry: Any) -> Any:
            at, *after = carry
            state = tuple(xp.take_row(m, at) for m in marks)

            def more(carry: Any) -> Any:
                k, done, (_, passed, h), _ = carry
                return (
                    (done < every)
                    & (passed < length)
                    & (k < self.max_steps)
                    & self._moves(a, passed, h)
                )

            def store(carry: Any) -> Any:
                k, done, (y, passed, h), stored = carry
                after, later, h, fine, step, _ = attempt(y, passed, h)
                values = (y, passed, step)
                stored = [
                    xp.where(fine, xp.put_row(m, x, xp.minimum(done, count - 1)), m)
                    for m, x in zip(stored, values, strict=True)
                ]
                return k + 1, xp.where(fine, done + 1, done), (after, later, h), stored

            begin = (xp.asarray(0), xp.asarray(0), state, [rows, column, column])
            _, done, _, stored = xp.while_loop(more, store, begin)

            def reverse(carry: Any) -> Any:
                k, *after = carry
                y, passed, step = (xp.take_row(m, k) for m in stored)
                t = a + xp.sign(b - a) * passed
                return k - 1, *self._back(y, t, step, after, pull, pull_own)

            _, *after = xp.while_loop(lambda carry: carry[0] >= 0, reverse, (done - 1, *after))
            return at - 1, *after

        _, v, own, _, fine = xp.while_loop(
            lambda carry: (carry[0] >= 0) & reached,
            block,
            (used - 1, v, own, length, xp.asarray(True)),
        )
        return v, own, reached & fine

    def _halved(self, marks: Any) -> Any:
        """Return every other mark, at the front of an array of the same length."""
        kept = marks[::2]
        return self.xp.concatenate([kept, self.xp.zeros_like(marks[: marks.shape[0] - len(kept)])])

    def _interpolant(self, y: Any, t: Any, h: Any) -> Callable[[Any], Any]:
        """Return the state as a function of time within one step."""
        xp = self.xp
        (_, values), *_ = self.attempt(y, t, h)
        if self.is_implicit:
            # the polynomial through the increments of all stages
            powers = np.linalg.inv(self.tableau.c[:, None] ** np.arange(1, 4))
            weights = xp.asarray(powers).T
        else:
            weights = h * xp.asarray(interpolating())
        coefficients = xp.astype(weights.T, y.dtype) @ values

        def at(time: Any) -> Any:
            x = (time - t) / h
            result = xp.zeros_like(y)
            for row in reversed(list(coefficients)):
                result = x * (row + result)
            return y + result

        return at

    def _back(
        self, y: Any, t: Any, h: Any, after: Sequence[Any], pull: Any, pull_own: Any
    ) -> tuple[Any, ...]:
        """Solve the adjoint equation back over one step; ``after`` is what it carries."""
        xp, (_, b, c) = self.xp, self.tableau
        v, own, first, fine = after
        state = self._interpolant(y, t, h)
        calls = [
            lambda v, t: [-pull(state(t), t, v)[0]],
            lambda v, t: [-self.slope(state(t), t).T],
        ]
        # the gradient has a scale of its own
        options = {
            "rtol": self.rtol,
            "atol": self.rtol * xp.max(xp.abs(v)) + np.finfo(v.dtype).tiny,
            "max_steps": self.max_steps,
        }
        back = Equation(xp, "Radau" if self.is_implicit else "RK45", calls, options)
        end = t + h
        attempt, length = back._controlled(end, t), xp.abs(t - end)

        def goes_on(carry: Any) -> Any:
            k, _, _, passed, step = carry
            return (k < self.max_steps) & (passed < length) & self._moves(t, passed, step)

        def body(carry: Any) -> Any:
            k, v, own, passed, step = carry
            start = end - xp.sign(h) * passed
            v, passed, step, well, taken, stages = attempt(v, passed, step)
            for x, w, at in zip(stages, b, c, strict=True):
                time = start + at * taken
                parts = pull_own(state(time), time, x)
                weight = xp.where(well, w * taken, 0)
                own = [total - weight * part for total, part in zip(own, parts, strict=True)]
            return k + 1, v, own, passed, step

        start = (xp.asarray(0), v, own, xp.zeros_like(length), first)
        _, v, own, passed, first = xp.while_loop(goes_on, body, start)
        return v, own, first, fine & (passed >= length)
