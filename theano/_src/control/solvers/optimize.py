"""root, minimize, root_scalar, minimize_scalar: solutions of equations and problems in a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theano._src.control.solvers.closed import Flat, closed, flattened
from theano._src.control.solvers.implicit import (
    ImplicitOp,
    Minimize,
    MinimizeScalar,
    Root,
    RootScalar,
)
from theano._src.grad.driver import format_as
from theano._src.ground.documented import short_traceback
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import TensorVariable

#: the methods of SciPy that each function takes
_METHODS = {
    Root: "hybr lm broyden1 broyden2 anderson linearmixing diagbroyden excitingmixing "
    "krylov df-sane",
    Minimize: "BFGS L-BFGS-B CG Newton-CG TNC SLSQP COBYLA COBYQA Nelder-Mead Powell trust-constr "
    "dogleg trust-ncg trust-exact trust-krylov",
    RootScalar: "secant newton halley bisect brentq brenth ridder toms748",
    MinimizeScalar: "brent bounded golden",
}


@short_traceback
def root(
    equations: Any,
    variables: Any,
    method: str = "hybr",
    jac: bool = True,
    optimizer_kwargs: Mapping[str, Any] | None = None,
    check: bool = True,
) -> tuple[Any, TensorVariable]:
    """Solve a system of equations ``f(x, parameters) = 0`` for ``x``.

    Derivatives of the solution with respect to the parameters follow from the implicit function
    theorem; they need a regular Jacobian at the solution.

    Parameters
    ----------
    equations : Variable, or list or tuple of them
        Expressions that are zero at the solution; together as many numbers as unknowns.
    variables : Variable, or list or tuple of them
        The unknowns, of floats; their own values are where the method starts. All other variables
        of the equations are parameters.
    method : str
        A method of ``scipy.optimize.root``. ``hybr`` has a compiled loop on XLA; others run on the
        host.
    jac : bool
        Whether the method uses the exact Jacobian.
    optimizer_kwargs : dict, optional
        Other arguments of ``scipy.optimize.root``: ``tol``, ``options``.
    check : bool
        Whether it is a ``ConvergenceError`` if the method does not converge. With False, the
        solution is then the last point and ``success`` is False.

    Returns
    -------
    solution : as ``variables``
    success : 0-d bool Variable

    >>> import theano, theano.tensor as T
    >>> x, a = T.dvector("x"), T.dscalar("a")
    >>> solution, success = T.optimize.root(x ** 2 - a, x)
    >>> f = theano.function([x, a], [solution, theano.grad(solution.sum(), a)])
    >>> [v.round(6).tolist() for v in f([1.0, 3.0], 4.0)]
    [[2.0, 2.0], 0.5]
    """
    options = dict(optimizer_kwargs or {})
    if not jac:
        options["jac"] = None
    return _vector(Root, equations, variables, method, options, check)


@short_traceback
def minimize(
    objective: Any,
    x: Any,
    method: str = "BFGS",
    jac: bool = True,
    hess: bool = False,
    optimizer_kwargs: Mapping[str, Any] | None = None,
    check: bool = True,
) -> tuple[Any, TensorVariable]:
    """Minimize an objective with respect to ``x``.

    Derivatives of the minimum with respect to the parameters follow from the implicit function
    theorem, applied to the gradient of the objective; they need a regular Hessian at the minimum,
    and are not available with bounds or constraints.

    Parameters
    ----------
    objective : 0-d Variable
    x : Variable, or list or tuple of them
        Where to minimize, of floats; the own values are where the method starts. All other
        variables of the objective are parameters.
    method : str
        A method of ``scipy.optimize.minimize``. ``BFGS`` has a compiled loop on XLA; others run
        on the host.
    jac, hess : bool
        Whether the method uses the exact gradient, and the exact Hessian.
    optimizer_kwargs : dict, optional
        Other arguments of ``scipy.optimize.minimize``: ``tol``, ``options``, ``bounds``.
    check : bool
        Whether it is a ``ConvergenceError`` if the method does not converge. With False, the
        solution is then the last point and ``success`` is False.

    Returns
    -------
    solution : as ``x``
    success : 0-d bool Variable

    >>> import theano, theano.tensor as T
    >>> x, a = T.dvector("x"), T.dvector("a")
    >>> solution, success = T.optimize.minimize(T.sum((x - a) ** 4 + (x - a) ** 2), x)
    >>> solution.eval({x: [0.0, 0.0], a: [1.0, 2.0]}).round(4).tolist()
    [1.0, 2.0]
    """
    options = dict(optimizer_kwargs or {})
    objective = as_tensor_variable(objective)
    if objective.type.ndim:
        raise TypeError(f"minimize takes a 0-d objective, got {objective} of {objective.type}")
    if not jac:
        options["jac"] = False
    if hess:
        options["hess"] = True
    return _vector(Minimize, objective, x, method, options, check)


def _vector(
    kind: type[ImplicitOp],
    expressions: Any,
    variables: Any,
    method: str,
    options: dict[str, Any],
    check: bool,
) -> tuple[Any, TensorVariable]:
    many = isinstance(variables, (list, tuple))
    unknowns = Flat(variables if many else [variables], kind.name)
    several = isinstance(expressions, (list, tuple))
    results = [as_tensor_variable(e) for e in (expressions if several else [expressions])]
    outputs = unknowns.given(results if kind is Minimize else [_one_vector(results)])
    op, parameters = _op(kind, outputs, unknowns.vector, method, options, check)
    solution, success = op(unknowns.start(), *parameters)
    solutions = unknowns.split(solution)
    return format_as(isinstance(variables, list), isinstance(variables, tuple), solutions), success


def _one_vector(results: Sequence[Any]) -> Any:
    plain = len(results) == 1 and results[0].type.ndim == 1
    return results[0] if plain else flattened(results)


def _op(
    kind: type[ImplicitOp],
    outputs: Sequence[Any],
    unknown: Any,
    method: str,
    options: dict[str, Any],
    check: bool,
) -> tuple[ImplicitOp, list[Any]]:
    """Return the op of a problem, and the outer variables that are its parameters."""
    name, methods = kind.name, _METHODS[kind].split()
    if method not in methods:
        raise ValueError(f"{name} takes one of {', '.join(methods)} as method, got {method!r}")
    for v in outputs:
        if v.type.numpy_dtype.kind not in "fiub":
            raise TypeError(f"{name} takes real expressions, got {v} of {v.type}")
    if unknown.type.dtype != "float64" and "tol" not in options:
        # SciPy's tolerances are those of float64
        options["tol"] = float(np.sqrt(np.finfo(unknown.type.numpy_dtype).eps))
    inputs, inner, parameters = closed(outputs, [unknown])
    return kind(inputs, inner, method, options, check), parameters


@short_traceback
def root_scalar(
    equation: Any,
    variable: Any,
    method: str | None = None,
    bracket: Sequence[Any] | None = None,
    optimizer_kwargs: Mapping[str, Any] | None = None,
    check: bool = True,
) -> tuple[TensorVariable, TensorVariable]:
    """Solve an equation ``f(x, parameters) = 0`` for one number.

    Derivatives as for ``root``; ``f`` must not be level at the solution.

    Parameters
    ----------
    equation : 0-d Variable
    variable : 0-d Variable
        The unknown; without a bracket its own value is where the method starts.
    method : str, optional
        A method of ``scipy.optimize.root_scalar``; by default ``secant``, or ``brentq`` with a
        bracket. ``secant``, ``newton``, ``halley``, ``bisect`` and ``brentq`` have compiled loops
        on XLA; others run on the host. Derivatives for the methods come from the graph.
    bracket : two numbers or 0-d Variables, optional
        Points where the function has different signs.
    optimizer_kwargs : dict, optional
        Other arguments of ``scipy.optimize.root_scalar``: ``xtol``, ``rtol``, ``maxiter``.
    check : bool
        As for ``root``.

    Returns
    -------
    solution, success : 0-d Variables

    >>> import theano, theano.tensor as T
    >>> x, a = T.dscalar("x"), T.dscalar("a")
    >>> solution, success = T.optimize.root_scalar(x ** 3 - a, x, bracket=(0, a))
    >>> float(solution.eval({a: 8}).round(9))
    2.0
    """
    method = method or ("brentq" if bracket is not None else "secant")
    needs = method in RootScalar.bracketing
    if needs != (bracket is not None):
        raise ValueError(
            f"root_scalar takes a bracket for {', '.join(RootScalar.bracketing)} and only for "
            f"them, got method {method!r} and bracket {bracket}"
        )
    starts = list(bracket) if bracket is not None else [variable]
    return _scalar(RootScalar, equation, variable, method, starts, optimizer_kwargs, check)


@short_traceback
def minimize_scalar(
    objective: Any,
    x: Any,
    method: str | None = None,
    bracket: Sequence[Any] | None = None,
    bounds: Sequence[Any] | None = None,
    optimizer_kwargs: Mapping[str, Any] | None = None,
    check: bool = True,
) -> tuple[TensorVariable, TensorVariable]:
    """Minimize a function of one number.

    Derivatives as for ``minimize``; they are not available with bounds.

    Parameters
    ----------
    objective, x : 0-d Variables
    method : str, optional
        ``brent``, ``golden`` or, with bounds, ``bounded``: those of
        ``scipy.optimize.minimize_scalar``. ``brent`` and ``bounded`` have compiled loops on XLA.
    bracket : two numbers or 0-d Variables, optional
        Two points from which a bracket is searched downhill; by default ``x`` and ``x + 1``.
    bounds : two numbers or 0-d Variables, optional
    optimizer_kwargs : dict, optional
        Other arguments of ``scipy.optimize.minimize_scalar``: ``tol``, ``options``.
    check : bool
        As for ``root``.

    Returns
    -------
    solution, success : 0-d Variables

    >>> import theano, theano.tensor as T
    >>> x, a = T.dscalar("x"), T.dscalar("a")
    >>> solution, success = T.optimize.minimize_scalar((x - a) ** 2, x)
    >>> float(solution.eval({x: 0, a: 3}).round(6))
    3.0
    """
    method = method or ("bounded" if bounds is not None else "brent")
    if (method == "bounded") != (bounds is not None) or (
        bounds is not None and bracket is not None
    ):
        raise ValueError(
            "minimize_scalar takes bounds for the method 'bounded' and a bracket for the others, "
            f"got method {method!r}, bracket {bracket} and bounds {bounds}"
        )
    starts = bounds if bounds is not None else (x, x + 1) if bracket is None else bracket
    return _scalar(MinimizeScalar, objective, x, method, list(starts), optimizer_kwargs, check)


def _scalar(
    kind: type[ImplicitOp],
    expression: Any,
    variable: Any,
    method: str,
    starts: Sequence[Any],
    options: Mapping[str, Any] | None,
    check: bool,
) -> tuple[TensorVariable, TensorVariable]:
    expression = as_tensor_variable(expression)
    if len(starts) != (1 if method in ("secant", "newton", "halley") else 2):
        raise ValueError(f"{kind.name} takes two numbers as bracket or bounds, got {starts}")
    for v in (expression, variable):
        if v.type.ndim:
            raise TypeError(f"{kind.name} takes 0-d variables, got {v} of {v.type}")
    Flat([variable], kind.name)
    op, parameters = _op(kind, [expression], variable, method, dict(options or {}), check)
    dtype = variable.type.dtype
    first = [as_tensor_variable(s).astype(dtype) for s in starts]
    solution, success = op(*first, *parameters)
    return solution, success
