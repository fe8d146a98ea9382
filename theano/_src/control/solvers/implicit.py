"""Roots and minima as ops, with derivatives by the implicit function theorem (ADR 33)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from theano._src.control.jacobian import jacobian
from theano._src.control.solvers import loops
from theano._src.control.solvers.structure import SolverOp
from theano._src.grad.driver import grad
from theano._src.grad.products import Rop
from theano._src.graph import source_line, testvalue
from theano._src.graph.clone import rebuild
from theano._src.graph.graph import Apply, Variable
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.errors import ConvergenceError
from theano._src.ground.xp import numpy_xp
from theano._src.ops.linalg.solve import solve
from theano._src.ops.meta.misc import view_op
from theano._src.types.null import DisconnectedType, NullType, disconnected, grad_not_implemented
from theano._src.types.tensor import tensor_type


class ImplicitOp(SolverOp):
    """The solution x of ``f(x, parameters) = 0``, and whether the method converged.

    The inputs of a node are ``n_starts`` values with which the method starts, then the parameters.
    """

    n_starts = 1
    #: the name of SciPy's function
    name: str
    #: the compiled loop of each method, and the options that it reads
    compiled: dict[str, tuple[Callable[..., Any], str]]

    @cached_property
    def equation(self) -> Variable:
        """The inner expression that is zero at the solution."""
        return self.outputs[0]

    def has_loop(self) -> bool:
        if self.method not in self.compiled:
            return False
        known = {"tol", "options", *self.compiled[self.method][1].split()}
        return {*self.options, *self.options.get("options", {})} <= known

    def by_inner(self, given: Sequence[Any]) -> list[Any]:
        return [given[0], *given[self.n_starts :]]

    def __str__(self) -> str:
        return f"{self.name}{{{self.method}}}"

    def make_node(self, *inputs: Any) -> Apply:
        (x,) = self.moving
        kinds = [*[x.type] * self.n_starts, *(v.type for v in self.parameters)]
        given = [kind.filter_variable(v) for kind, v in zip(kinds, inputs, strict=True)]
        return Apply(self, given, [x.type(), tensor_type("bool", ())()])

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [shapes[0], ()]

    # running

    def on_host(self, *inputs: Any) -> Any:
        starts, parameters = inputs[: self.n_starts], inputs[self.n_starts :]
        calls = self.host_calls(parameters)
        with np.errstate(all="ignore"):
            x, success, message = self.by_scipy(
                calls, [np.asarray(s, "float64") for s in starts], dict(self.options)
            )
            if self.check and not success:
                raise self.not_converged(x, calls, message)
        return np.asarray(x, self.moving[0].type.numpy_dtype), np.asarray(bool(success))

    def by_scipy(
        self, calls: Sequence[Any], starts: Sequence[Any], options: dict[str, Any]
    ) -> tuple[Any, bool, str]:
        """Return the solution, whether SciPy's function converged, and its message."""
        raise NotImplementedError(f"{type(self).__name__}.by_scipy")

    def residual(self, calls: Sequence[Any], x: Any) -> str:
        """Return a text about what should be zero at the solution."""
        raise NotImplementedError(f"{type(self).__name__}.residual")

    def not_converged(self, x: Any, calls: Sequence[Any], message: str) -> ConvergenceError:
        return ConvergenceError(
            f"{self} did not converge: {self.residual(calls, x)}. {str(message).strip()} Start "
            "nearer to a solution, pass other options to SciPy by optimizer_kwargs, or read "
            "success instead by check=False"
        )

    def lower_checked(
        self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array
    ) -> tuple[list[Any], list[Any]]:
        given, parameters = inputs[: self.n_starts], inputs[self.n_starts :]
        calls, flags = self.xla_calls(xp, sizes, parameters)
        options = dict(self.options)
        options = {**options.pop("options", {}), **options}
        dtype = self.moving[0].type.numpy_dtype
        starts = [xp.astype(s, dtype) for s in given]
        x, success = self.compiled[self.method][0](xp, calls, starts, **options)
        x = xp.astype(x, dtype)
        return [x, success], [*flags(x), *([success] if self.check else [])]

    # derivatives

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        own = self.connected([self.equation])[1:]
        return [*[[False, False]] * self.n_starts, *([c, False] for c in own)]

    @property
    def underivable(self) -> str:
        """The reason why there are no derivatives, or an empty text."""
        return ""

    def _solved(self, b: Any, transposed: bool) -> Any:
        """Return the solution of the linear system with the Jacobian of the equation."""
        (x,) = self.moving
        if not x.type.ndim:
            return b / grad(self.equation, x, disconnected_inputs="ignore")
        slope = jacobian(self.equation, x, disconnected_inputs="ignore")
        return solve(slope.T if transposed else slope, b)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        starts = [disconnected() for _ in range(self.n_starts)]
        params = inputs[self.n_starts :]
        if isinstance(output_grads[0].type, DisconnectedType):
            return [*starts, *(disconnected() for _ in params)]
        if self.underivable:
            return [
                *starts,
                *(
                    grad_not_implemented(self, i + self.n_starts, v, self.underivable)
                    for i, v in enumerate(params)
                ),
            ]
        with source_line.paused(), testvalue.under("off"):
            g = output_grads[0].type()
            back = grad(
                None,
                self.parameters,
                known_grads={view_op(self.equation): -self._solved(g, transposed=True)},
                disconnected_inputs="ignore",
                return_disconnected="disconnected",
                null_gradients="return",
            )
            results = self._outside(back, outputs[0], params, {g: output_grads[0]})
        testvalue.give(
            [v for v in results if not isinstance(v.type, DisconnectedType | NullType)],
            {*inputs, *outputs, *output_grads},
        )
        return [*starts, *results]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        params, points = inputs[self.n_starts :], eval_points[self.n_starts :]
        moved = [
            (v, p)
            for v, p in zip(self.parameters, points, strict=True)
            if p is not None and not isinstance(p.type, DisconnectedType)
        ]
        if not moved:
            return [None, None]
        if self.underivable:
            raise NotImplementedError(f"{self} has no directional derivative: {self.underivable}")
        node = self.make_node(*inputs)
        with source_line.paused(), testvalue.under("off"):
            fresh = [p.type() for _, p in moved]
            (push,) = Rop(
                [view_op(self.equation)],
                [v for v, _ in moved],
                fresh,
                disconnected_outputs="ignore",
                return_disconnected="none",
            )
            if push is None:
                return [None, None]
            new = dict(zip(fresh, [p for _, p in moved], strict=True))
            dx = -self._solved(push, transposed=False)
            (result,) = self._outside([dx], node.outputs[0], params, new)
        testvalue.give([result], {*inputs, *(p for _, p in moved)})
        return [result, None]

    def _outside(
        self, results: Sequence[Any], x: Any, parameters: Sequence[Any], more: dict[Any, Any]
    ) -> list[Any]:
        """Rewrite inner expressions in terms of the solution and of a node's inputs."""
        new = {self.moving[0]: x, **dict(zip(self.parameters, parameters, strict=True)), **more}
        return rebuild(results, new)


def _largest(values: Any) -> str:
    return f"{float(np.max(np.abs(values), initial=0.0)):.3g}"


class Root(ImplicitOp):
    """A root of a vector of equations, one for each unknown."""

    name = "root"
    compiled = {"hybr": (loops.hybrid, "xtol maxfev")}

    def functions(self) -> list[list[Variable]]:
        (x,), (f,) = self.moving, self.outputs
        return [[f], [jacobian(f, x, disconnected_inputs="ignore")]]

    def by_scipy(self, calls: Any, starts: Any, options: dict[str, Any]) -> tuple[Any, bool, str]:
        from scipy.optimize import root

        f, slope = calls
        (x0,) = starts
        _check_square(len(f(x0)[0]), len(x0))
        if not len(x0):
            return x0, True, ""
        if "jac" not in options and self.method in ("hybr", "lm"):
            options["jac"] = lambda x: slope(x)[0]
        result = root(lambda x: f(x)[0], x0, method=self.method, **options)
        return result.x, bool(result.success) and bool(np.isfinite(result.x).all()), result.message

    def residual(self, calls: Any, x: Any) -> str:
        return f"max |f(x)| is {_largest(calls[0](x)[0])} at the last x"


def _check_square(equations: int, unknowns: int) -> None:
    if equations != unknowns:
        raise ValueError(
            f"root takes as many equations as unknowns, got {equations} for {unknowns}; for more "
            "equations minimize the sum of their squares"
        )


class Minimize(ImplicitOp):
    """A minimum of a function of a vector: its gradient is zero there."""

    name = "minimize"
    compiled = {"BFGS": (loops.bfgs, "gtol maxiter")}

    @cached_property
    def equation(self) -> Variable:
        (x,), (cost,) = self.moving, self.outputs
        slope: Variable = grad(cost, x, disconnected_inputs="ignore")
        return slope

    def functions(self) -> list[list[Variable]]:
        (x,), (cost,) = self.moving, self.outputs
        graphs = [[cost, self.equation]]
        if self.options.get("hess") is True:
            graphs.append([jacobian(self.equation, x, disconnected_inputs="ignore")])
        return graphs

    @property
    def underivable(self) -> str:
        which = [name for name in ("bounds", "constraints") if name in self.options]
        return f"At {which[0]} the gradient of the objective need not be zero" if which else ""

    def by_scipy(self, calls: Any, starts: Any, options: dict[str, Any]) -> tuple[Any, bool, str]:
        from scipy.optimize import minimize

        (x0,) = starts
        if not len(x0):
            return x0, True, ""
        if options.pop("hess", None) is True:
            options["hess"] = lambda x: calls[1](x)[0]
        fun = calls[0]
        if options.pop("jac", True):
            options["jac"] = True

            def objective(x: Any) -> Any:
                value, slope = fun(x)
                return float(value), slope
        else:

            def objective(x: Any) -> Any:
                return float(fun(x)[0])

        result = minimize(objective, x0, method=self.method, **options)
        return result.x, bool(result.success) and bool(np.isfinite(result.x).all()), result.message

    def residual(self, calls: Any, x: Any) -> str:
        return f"max |gradient| is {_largest(calls[0](x)[1])} at the last x"


class RootScalar(ImplicitOp):
    """A root of a function of one number, from one start or inside a bracket."""

    name = "root_scalar"
    compiled = {
        "secant": (loops.secant, "xtol rtol maxiter"),
        "newton": (loops.newton, "xtol rtol maxiter"),
        "halley": (loops.newton, "xtol rtol maxiter"),
        "bisect": (loops.bisect, "xtol rtol maxiter"),
        "brentq": (loops.brentq, "xtol rtol maxiter"),
    }
    bracketing = ("bisect", "brentq", "brenth", "ridder", "toms748")

    @property
    def n_starts(self) -> int:  # type: ignore[override]
        return 2 if self.method in self.bracketing else 1

    def functions(self) -> list[list[Variable]]:
        (x,), (f,) = self.moving, self.outputs
        n = {"newton": 1, "halley": 2}.get(self.method, 0)
        values = [f]
        for _ in range(n):
            values.append(grad(values[-1], x, disconnected_inputs="ignore"))
        return [values]

    def by_scipy(self, calls: Any, starts: Any, options: dict[str, Any]) -> tuple[Any, bool, str]:
        from scipy.optimize import root_scalar

        settings = {**options.pop("options", {}), **options}
        if self.n_starts == 1:
            # SciPy's functions would warn if they do not converge
            loop = self.compiled[self.method][0]
            x, converged = loop(numpy_xp, calls, starts, **settings)
            return x, bool(converged), ""

        def f(x: Any) -> float:
            return float(calls[0](x)[0])

        ends = [float(s) for s in starts]
        if not np.sign(f(ends[0])) * np.sign(f(ends[1])) <= 0:
            return ends[0], False, "f has the same sign, or is NaN, at both ends of the bracket."
        if "tol" in settings:
            settings["xtol"] = settings.pop("tol")
        result = root_scalar(f, method=self.method, bracket=ends, **settings)
        return result.root, bool(result.converged) and np.isfinite(result.root), result.flag + "."

    def residual(self, calls: Any, x: Any) -> str:
        return f"|f(x)| is {abs(float(calls[0](x)[0])):.3g} at x = {float(x):.6g}"


class MinimizeScalar(ImplicitOp):
    """A minimum of a function of one number, from a bracket or between bounds."""

    name = "minimize_scalar"
    compiled = {
        "brent": (loops.brent, "xtol maxiter"),
        "bounded": (loops.bounded, "xatol maxiter"),
    }
    n_starts = 2

    @cached_property
    def equation(self) -> Variable:
        slope: Variable = grad(self.outputs[0], self.moving[0], disconnected_inputs="ignore")
        return slope

    def functions(self) -> list[list[Variable]]:
        return [[self.outputs[0]], [self.equation]]

    @property
    def underivable(self) -> str:
        if self.method != "bounded":
            return ""
        return "At a bound the derivative of the objective need not be zero"

    def by_scipy(self, calls: Any, starts: Any, options: dict[str, Any]) -> tuple[Any, bool, str]:
        from scipy.optimize import minimize_scalar

        ends = [float(s) for s in starts]
        options["bounds" if self.method == "bounded" else "bracket"] = ends
        try:
            result = minimize_scalar(lambda x: float(calls[0](x)[0]), method=self.method, **options)
        except RuntimeError as error:
            if "bracket" not in str(error):
                raise
            return ends[1], False, str(error)
        fine = bool(result.success) and bool(np.isfinite(result.x))
        return result.x, fine, getattr(result, "message", "")

    def residual(self, calls: Any, x: Any) -> str:
        return f"|f'(x)| is {abs(float(calls[1](x)[0])):.3g} at x = {float(x):.6g}"
