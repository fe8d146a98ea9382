"""Differential equations on the host: SciPy's steppers, and the adjoint equation over them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

#: steps between two checkpoints; up to four times as many are kept with their interpolants
_BLOCK = 128
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(4)
#: checkpoints of one pass; then every other one is dropped
_MARKS = 64


class Step(NamedTuple):
    """One step of a stepper: its ends, and the interpolant between them."""

    start: float
    end: float
    at: Callable[[float], Any]


class Equation:
    """One equation with its parameters, solved by a method of ``scipy.integrate``.

    ``calls`` are f(y, t) and, for implicit methods, its Jacobian; ``failed`` makes the error.
    """

    def __init__(
        self,
        method: str,
        calls: Sequence[Callable[..., list[Any]]],
        options: dict[str, Any],
        failed: Callable[[str], Exception],
    ) -> None:
        import scipy.integrate

        self.stepper = getattr(scipy.integrate, method)

        def call(k: int) -> Callable[[Any, Any], Any]:
            return lambda t, y: calls[k](y, t)[0]

        self.f, self.slope = call(0), call(1) if len(calls) > 1 else None
        self.rtol, self.atol = options["rtol"], options["atol"]
        self.max_steps, self.failed = options["max_steps"], failed

    def _new(self, f: Any, slope: Any, a: float, y: Any, b: float, atol: Any) -> Any:
        more = {} if slope is None else {"jac": slope}
        return self.stepper(f, a, y, b, rtol=self.rtol, atol=atol, **more)

    def _taken(self, stepper: Any) -> Iterator[Any]:
        """Yield the stepper after each step until it is at the end; then it holds nothing."""
        try:
            for _ in range(self.max_steps):
                if stepper.status != "running":
                    return
                message = stepper.step()
                if stepper.status == "failed" or not np.isfinite(stepper.y).all():
                    what = (message or "the state is not finite").strip().rstrip(".")
                    raise self.failed(
                        f"it stopped at t = {stepper.t:.6g} with max |dy/dt| = "
                        f"{np.max(np.abs(self.f(stepper.t, stepper.y)), initial=0):.3g}; {what}"
                    )
                yield stepper
            if stepper.status == "running":
                raise self.failed(f"{self.max_steps} steps end at t = {stepper.t:.6g}")
        finally:
            # its functions hold it, and through f a block of interpolants: a cycle of large arrays
            vars(stepper).clear()

    def states(self, y0: Any, ts: Any) -> Any:
        """Return the state at each time, as float64."""
        ts = np.asarray(ts, "float64")
        y0 = np.asarray(y0, "float64")
        _check_times(ts)
        rows = np.empty((len(ts), len(y0)))
        if not len(ts):
            return rows
        sign = 1.0 if ts[-1] >= ts[0] else -1.0
        done = int(np.searchsorted(sign * ts, sign * ts[0], side="right"))
        rows[:done] = y0
        if done == len(ts) or not len(y0):
            return rows
        for stepper in self._taken(self._new(self.f, self.slope, ts[0], y0, ts[-1], self.atol)):
            upto = int(np.searchsorted(sign * ts, sign * stepper.t, side="right"))
            if upto > done:
                at = stepper.dense_output()
                rows[done:upto] = [at(t) for t in ts[done:upto]]
                done = upto
        return rows

    # the adjoint

    def pulled_back(
        self, ts: Any, ys: Any, g: Any, pull: Any, pull_own: Any, shapes: Sequence[Any]
    ) -> tuple[Any, list[Any]]:
        """Return the gradients of the first state and of the parameters.

        ``pull(y, t, v)`` and ``pull_own(y, t, v)`` are the products of v with the derivatives of
        f with respect to the state and to the parameters.
        """
        ts, ys, g = (np.asarray(x, "float64") for x in (ts, ys, g))
        own = [np.zeros(shape) for shape in shapes]
        v = np.array(g[-1]) if len(g) else np.zeros(ys.shape[1])
        for i in range(len(ts) - 1, 0, -1):
            if ts[i] != ts[i - 1]:
                for steps in self._blocks(ts[i - 1], ys[i - 1], ts[i]):
                    if not v.any():
                        break  # it has decayed
                    v = self._through(steps, v, pull, pull_own, own)
            v = v + g[i - 1]
        return v, own

    def _blocks(self, a: float, y: Any, b: float) -> Iterator[list[Step]]:
        """Yield the steps from a to b in blocks, the last block first.

        No more than a block of interpolants and, on each level, a number of checkpoints are kept.
        """
        todo = [(a, y, b)]
        while todo:
            a, y, b = todo.pop()
            marks, every, steps = [(a, y)], _BLOCK, list[Step]()
            for k, stepper in enumerate(
                self._taken(self._new(self.f, self.slope, a, y, b, self.atol)), 1
            ):
                if k <= 4 * _BLOCK:
                    steps.append(Step(stepper.t_old, stepper.t, stepper.dense_output()))
                else:
                    steps = []
                if k % every == 0 and stepper.status == "running":
                    marks.append((stepper.t, stepper.y.copy()))
                if len(marks) > _MARKS:
                    marks, every = marks[::2], 2 * every
            if steps:
                yield steps
            else:
                ends = [*(t for t, _ in marks[1:]), b]
                todo += [(t, y, end) for (t, y), end in zip(marks, ends, strict=True)]

    def _through(self, steps: list[Step], v: Any, pull: Any, pull_own: Any, own: list[Any]) -> Any:
        """Integrate dv/dt = -v df/dy back over a block; add to ``own`` the integrals of v df/dp."""
        sign = 1.0 if steps[-1].end >= steps[0].start else -1.0
        ends = [sign * s.end for s in steps]

        def state(t: float) -> Any:
            return steps[min(bisect_left(ends, sign * t), len(steps) - 1)].at(t)

        slope = None
        if self.slope is not None:
            own_slope = self.slope

            def slope(t: float, v: Any) -> Any:
                return -own_slope(t, state(t)).T

        back = self._new(
            lambda t, v: -pull(state(t), t, v)[0],
            slope,
            steps[-1].end,
            v,
            steps[0].start,
            # the gradient has a scale of its own
            self.rtol * np.max(np.abs(v)) + np.finfo(float).tiny,
        )
        for stepper in self._taken(back):
            v = stepper.y
            if own:
                at = stepper.dense_output()

                def change(t: float, at: Any = at) -> Any:
                    return pull_own(state(t), t, at(t))

                self._add_integrals(change, stepper.t, stepper.t_old, own)
        return v

    def _add_integrals(self, f: Callable[[float], Any], a: float, b: float, own: Any) -> None:
        """Add the integrals of several functions; halve the interval until they are exact."""

        def integrals(a: float, b: float) -> list[Any]:
            half = (b - a) / 2
            values = [f(a + half * (1 + x)) for x in _NODES]
            return [
                half * sum(w * v for w, v in zip(_WEIGHTS, column, strict=True))
                for column in zip(*values, strict=True)
            ]

        todo = [(a, b, integrals(a, b))]
        while todo:
            a, b, whole = todo.pop()
            middle = (a + b) / 2
            halves = [(a, middle, integrals(a, middle)), (middle, b, integrals(middle, b))]
            exact = True
            for total, old, x, y in zip(own, whole, halves[0][2], halves[1][2], strict=True):
                size = np.max(np.abs(total), initial=0) + np.max(np.abs(x) + np.abs(y), initial=0)
                exact &= bool(np.max(np.abs(old - x - y), initial=0) <= self.rtol * size)
            if exact or abs(b - a) <= 1e-9 * (abs(a) + abs(b)):
                for total, x, y in zip(own, halves[0][2], halves[1][2], strict=True):
                    total += x + y
            else:
                todo += halves


def _check_times(ts: Any) -> None:
    steps = np.diff(ts)
    if not ((steps >= 0).all() or (steps <= 0).all()):
        raise ValueError(f"odeint takes times that increase or decrease, got {ts}")
