"""odeint: the solution of a differential equation inside a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from theano._src.control.solvers.closed import Flat
from theano._src.control.solvers.ode import IMPLICIT, equation_op
from theano._src.graph.clone import rebuild
from theano._src.ground.documented import documented_in, short_traceback
from theano._src.ops.shape.dims import patternbroadcast
from theano._src.ops.shape.shape import reshape, shape_i
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import TensorVariable, tensor_type


@documented_in("theano.tensor")
@short_traceback
def odeint(
    f: Callable[..., Any],
    y0: Any,
    t: Any,
    *args: Any,
    rtol: float | None = None,
    atol: float | None = None,
    method: str = "RK45",
    max_steps: int = 100_000,
) -> TensorVariable:
    """Solve a differential equation ``dy/dt = f(y, t, *args)``; return the states at given times.

    The gradient solves the adjoint equation backwards, over steps that it takes once more between
    checkpoints: its memory does not depend on the number of steps.

    Parameters
    ----------
    f : function
        Takes variables: a state, a 0-d time and ``args``; returns an expression of the state's
        shape. It may use other variables of the graph, which are parameters too.
    y0 : tensor of floats
        The state at the first time.
    t : vector
        The times, which increase or decrease.
    *args
        Further arguments of ``f``.
    rtol, atol : float, optional
        The error of a step relative to the state, and its absolute part; by default the square
        root of the precision of ``y0``, 1.5e-8 for float64.
    method : str
        A method of ``scipy.integrate.solve_ivp``: ``RK45`` or ``DOP853``; for stiff equations
        ``Radau``, ``BDF`` or ``LSODA``. ``RK45`` and ``Radau`` have compiled loops on XLA; others
        run on the host.
    max_steps : int
        The largest number of steps; between two times on XLA.

    Returns
    -------
    A tensor with one row per time, of the shape of ``y0``; the first row is ``y0``.

    >>> import theano, theano.tensor as T
    >>> t, rate = T.dvector("t"), T.dscalar("rate")
    >>> y = T.odeint(lambda y, t: -rate * y, T.constant(2.0), t)
    >>> f = theano.function([t, rate], [y, theano.grad(y[-1], rate)])
    >>> [v.astype(float).round(3).tolist() for v in f([0, 1], 1.0)]
    [[2.0, 0.736], -0.736]
    """
    y0, t = as_tensor_variable(y0), as_tensor_variable(t)
    if y0.type.numpy_dtype.kind != "f":
        raise TypeError(f"odeint takes a state y0 of floats, got {y0} of {y0.type}; cast it")
    if t.type.ndim != 1 or t.type.numpy_dtype.kind not in "fiu":
        raise TypeError(f"odeint takes a vector of times, got {t} of {t.type}")
    if method not in IMPLICIT:
        raise ValueError(f"odeint takes one of {', '.join(IMPLICIT)} as method, got {method!r}")
    eps = float(np.finfo(y0.type.numpy_dtype).eps)
    options = {
        "rtol": eps**0.5 if rtol is None else float(rtol),
        "atol": eps**0.5 if atol is None else float(atol),
        "max_steps": int(max_steps),
    }
    if options["rtol"] < 100 * eps or options["atol"] < 0:
        raise ValueError(
            f"odeint takes rtol of at least {100 * eps:.3g} and atol that is not negative, got "
            f"{options['rtol']} and {options['atol']}"
        )
    dtype = y0.type.dtype
    state, time = y0.type(), tensor_type(dtype, ())()
    speed = as_tensor_variable(f(state, time, *args))
    if speed.type.ndim != y0.type.ndim:
        raise TypeError(
            f"odeint takes f that returns {y0.type.ndim} dimensions as y0 has, got {speed.type}"
        )
    # one tensor of any shape is solved as one vector
    flat = Flat([state], "odeint")
    (speed,) = flat.given([speed.astype(dtype)])
    op, parameters = equation_op(speed.flatten(), flat.vector, time, method, options)
    # the lengths of the state are those of y0
    parameters = rebuild(parameters, {state: y0})
    rows: TensorVariable = op(y0.flatten(), t.astype(dtype), *parameters)
    if y0.type.ndim == 1 and not any(y0.type.broadcastable):
        return rows
    shape = [shape_i(t, 0), *(shape_i(y0, i) for i in range(y0.type.ndim))]
    whole: Any = reshape(rows, shape, ndim=y0.type.ndim + 1)
    result: TensorVariable = patternbroadcast(whole, (False, *y0.type.broadcastable))
    return result
