"""Jacobians and Hessians: one gradient per element of the output, batched where possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.control.scan.api import Loop
from theano._src.grad.driver import format_as, grad
from theano._src.graph.graph import Variable
from theano._src.ground.documented import documented_in
from theano._src.ops.shape.ranges import arange


@documented_in("theano.gradient")
def jacobian(
    expression: Any,
    wrt: Any,
    consider_constant: Sequence[Variable] | None = None,
    disconnected_inputs: str = "raise",
) -> Any:
    r"""Return the derivatives of each element of a vector with respect to variables.

    .. math:: J_{ij} = \frac{\partial f_i}{\partial x_j}

    Parameters
    ----------
    expression : 0-d or 1-d Variable
    wrt : Variable, or list or tuple of them
    consider_constant, disconnected_inputs : as for ``grad``

    Returns
    -------
    For each variable of ``wrt``, a tensor with one row of its shape per element of ``expression``.

    >>> import theano, theano.tensor as T
    >>> x = T.dvector()
    >>> theano.gradient.jacobian(x ** 2, x).eval({x: [4, 5]}).tolist()
    [[8.0, 0.0], [0.0, 10.0]]
    """
    if not isinstance(expression, Variable) or getattr(expression.type, "ndim", 9) > 1:
        raise TypeError(
            f"jacobian takes a scalar or a vector as expression, got {expression}; flatten it first"
        )
    many = isinstance(wrt, (list, tuple))
    targets = list(wrt) if many else [wrt]
    options: dict[str, Any] = {
        "consider_constant": consider_constant,
        "disconnected_inputs": disconnected_inputs,
    }
    shape = (isinstance(wrt, list), isinstance(wrt, tuple))
    if expression.type.ndim == 0:
        return format_as(*shape, grad(expression, targets, **options))
    # all rows use the same random draws: the loop updates no generator
    rows = Loop(
        lambda i: grad(expression[i], targets, **options),  # type: ignore[index]
        sequences=arange(expression.shape[0]),  # type: ignore[attr-defined]
        name="jacobian",
        default_updates=False,
    )
    return format_as(*shape, rows.run()[0])


@documented_in("theano.gradient")
def hessian(
    cost: Any,
    wrt: Any,
    consider_constant: Sequence[Variable] | None = None,
    disconnected_inputs: str = "raise",
) -> Any:
    r"""Return the second derivatives of a cost in vectors; arguments as for ``jacobian``.

    .. math:: H_{ij} = \frac{\partial^2 C}{\partial x_i \, \partial x_j}

    >>> import theano, theano.tensor as T
    >>> x = T.dvector()
    >>> theano.gradient.hessian((x ** 3).sum(), x).eval({x: [1, 2]}).tolist()
    [[6.0, 0.0], [0.0, 12.0]]
    """
    many = isinstance(wrt, (list, tuple))
    targets = list(wrt) if many else [wrt]
    results = []
    for v in targets:
        if getattr(v.type, "ndim", None) != 1:
            raise ValueError(f"hessian takes vectors as wrt, got {v} of {v.type}")
        first = grad(cost, v, consider_constant, disconnected_inputs)
        results.append(jacobian(first, v, consider_constant, disconnected_inputs="ignore"))
    return format_as(isinstance(wrt, list), isinstance(wrt, tuple), results)
