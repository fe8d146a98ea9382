"""minimize: minimize a cost over shared variables with ``scipy.optimize.minimize``."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from theano._src.compile.function import function
from theano._src.control.sparsity.derivatives import sparse_hessian
from theano._src.grad.driver import grad
from theano._src.grad.products import hessian_vector_product
from theano._src.graph.clone import clone_replace
from theano._src.graph.graph import Variable
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.shape.shape import reshape
from theano._src.types.convert import as_tensor_variable
from theano._src.types.shared import SharedVariable
from theano._src.types.tensor import TensorType, tensor_type

#: SciPy methods that take no gradient; Hessian-vector products; a full Hessian
_WITHOUT_GRADIENT = {"nelder-mead", "powell", "cobyla", "cobyqa"}
_WITH_PRODUCTS = {"newton-cg", "trust-ncg", "trust-krylov"}
_WITH_HESSIAN = {"dogleg", "trust-exact"}


@documented_in("theano")
class Minimizer:
    """A cost compiled once with its gradient, for repeated minimization over shared variables.

    Parameters
    ----------
    cost : scalar variable
        Random streams in it do not advance: each evaluation draws the same numbers.
    params : shared variable or list of shared variables
        Of float dtypes. float32 parameters are cast from SciPy's float64 and back.
    inputs : list of variables
        The other inputs of the cost; each call passes values for them, in this order.
    givens, mode : optional
        As for ``function``.

    Raises
    ------
    TypeError
        If the cost is not a float scalar, or a parameter is not a shared variable of floats.
    ValueError
        If there is no parameter, or a parameter is given twice.

    Examples
    --------
    >>> import numpy as np, theano, theano.tensor as T
    >>> x = T.dvector("x")
    >>> center = theano.shared(0.0, "center")
    >>> fit = theano.Minimizer(((x - center) ** 2).sum(), center, [x])
    >>> [fit([1.0, 3.0]).success, center.get_value().round(6).item()]
    [True, 2.0]
    >>> [fit([5.0, 5.0]).success, center.get_value().round(6).item()]
    [True, 5.0]
    """

    def __init__(
        self,
        cost: Variable,
        params: SharedVariable | Sequence[SharedVariable],
        inputs: Sequence[Variable] = (),
        givens: Any = None,
        mode: Any = None,
    ) -> None:
        kind: Any = getattr(cost, "type", None)
        if not _is_float(kind) or kind.ndim != 0:
            raise TypeError(
                f"minimize takes a cost that is one float, got {cost} of type {kind}; the sum or "
                "the mean of several makes one"
            )
        replaced = {v: v.type.filter_variable(new) for v, new in dict(givens or {}).items()}
        self.cost = clone_replace(cost, replaced) if replaced else cost
        self.params = [params] if isinstance(params, Variable) else list(params)
        self.inputs = list(inputs)
        for p in self.params:
            if not isinstance(p, SharedVariable) or not _is_float(p.type):
                text = f"{p} of {p.type}" if isinstance(p, Variable) else f"{p!r:.80}"
                raise TypeError(f"minimize takes shared variables of floats as params, got {text}")
        if not self.params or len({id(p.container) for p in self.params}) < len(self.params):
            raise ValueError(
                f"minimize takes one or more different shared variables, got {self.params}"
            )
        # parameter values are passed as arguments: the variables do not change until the end
        self._values = [p.type(p.name) for p in self.params]
        self._mode = mode
        self._functions: dict[str, Any] = {}

    def __call__(
        self,
        *data: Any,
        method: str | None = None,
        bounds: Any = None,
        hess: bool | None = None,
        hessp: bool | None = None,
        tol: float | None = None,
        callback: Callable[..., Any] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Any:
        """Minimize from the current values of the parameters; arguments as for ``minimize``."""
        from scipy.optimize import minimize as scipy_minimize

        name = "" if method is None else str(method).lower()
        given = self._filtered(data)
        start = [np.asarray(p.get_value()) for p in self.params]
        layout = _Layout(start)
        first = layout.flat(start)
        kwargs: dict[str, Any] = {"jac": name not in _WITHOUT_GRADIENT}
        if bounds is not None:
            limits = kwargs["bounds"] = layout.bounds(self.params, bounds)
            first = np.clip(first, limits.lb, limits.ub)
        if hess if hess is not None else name in _WITH_HESSIAN:
            kwargs["hess"] = self._hessian(given, dense=name in _WITH_HESSIAN)
        elif hessp if hessp is not None else name in _WITH_PRODUCTS:
            kwargs["hessp"] = self._products(layout, given)
        evaluate = self._evaluation(layout, given, kwargs["jac"])
        steps = None if callback is None else _Steps(callback, layout, evaluate)
        try:
            result = scipy_minimize(
                evaluate if steps is None else steps.evaluate,
                first,
                method=method,
                tol=tol,
                callback=steps,
                options=None if options is None else dict(options),
                **kwargs,
            )
        except StopIteration:
            # some SciPy methods do not catch it
            if steps is None or not steps.stopped:
                raise
            result = steps.last
        if steps is not None and steps.stopped:
            result.success, result.status = False, 99
            result.message = "`callback` raised `StopIteration`."
        self._store(result, layout, evaluate, first)
        return result

    def _store(
        self, result: Any, layout: _Layout, evaluate: Callable[[Any], Any], first: Any
    ) -> None:
        """Store the result in the variables, unless it is worse than the start."""
        costs = [evaluate(x) for x in (result.x, first)]
        end, begin = (c[0] if isinstance(c, tuple) else c for c in costs)
        if math.isfinite(end) and not end > begin:
            for p, value in zip(self.params, layout.split(result.x), strict=True):
                p.set_value(value)
            result.fun = end
        else:
            result.success, result.fun = False, begin
        # NOTE: the result is a dict: an attribute must not have the name of a dict method
        result.arrays = [p.get_value() for p in self.params]
        result.x = layout.flat(result.arrays)

    def _filtered(self, data: Sequence[Any]) -> list[Any]:
        """Convert the data to the types of the inputs: once, not at each evaluation."""
        if len(data) != len(self.inputs):
            raise TypeError(
                f"the cost has {len(self.inputs)} inputs ({', '.join(map(str, self.inputs))}), got "
                f"{len(data)} values"
            )
        results = []
        for v, value in zip(self.inputs, data, strict=True):
            try:
                results.append(v.type.filter(value))
            except TypeError as error:
                raise TypeError(f"the input {v} takes {v.type}. {error}") from None
        return results

    def _evaluation(
        self, layout: _Layout, given: Sequence[Any], with_gradient: bool
    ) -> Callable[[Any], Any]:
        compiled = self._compiled("gradient" if with_gradient else "cost")

        def evaluate(x: Any) -> Any:
            result = compiled(*layout.split(x), *given)
            if not with_gradient:
                return float(result)
            cost, *gradients = result
            return float(cost), layout.flat(gradients)

        return evaluate

    def _products(self, layout: _Layout, given: Sequence[Any]) -> Callable[[Any, Any], Any]:
        compiled = self._compiled("products")
        return lambda x, p: layout.flat(compiled(*layout.split(p), *layout.split(x), *given))

    def _hessian(self, given: Sequence[Any], dense: bool) -> Callable[[Any], Any]:
        compiled = self._compiled("hessian")
        return lambda x: compiled(x, *given).toarray() if dense else compiled(x, *given)

    def _compiled(self, what: str) -> Any:
        """Compile the cost, with its "gradient", Hv ("products") or the sparse "hessian"."""
        if what in self._functions:
            return self._functions[what]
        arguments = [*self._values, *self.inputs]
        outputs: Any = self.cost
        if what == "gradient":
            outputs = [self.cost, *grad(self.cost, self.params)]
        elif what == "products":
            directions = [p.type() for p in self.params]
            arguments = [*directions, *arguments]
            outputs = hessian_vector_product(self.cost, self.params, directions)
        givens = list(zip(self.params, self._values, strict=True))
        if what == "hessian":
            # of one vector; where the parameters lie in it follows from their shapes
            x, at, parts = tensor_type("float64", (False,))("x"), as_tensor_variable(0), []
            params: list[Any] = self.params
            for p in params:
                end = at + p.size
                parts.append(cast(reshape(x[at:end], p.shape, p.type.ndim), p.type.dtype))
                at = end
            cost = clone_replace(self.cost, dict(zip(self.params, parts, strict=True)))
            arguments, outputs, givens = [x, *self.inputs], sparse_hessian(cost, x), []
        self._functions[what] = function(
            arguments,
            outputs,
            givens=givens,
            mode=self._mode,
            no_default_updates=True,
            on_unused_input="ignore",
        )
        return self._functions[what]


class _Steps:
    """The callback that SciPy calls after each step; it calls the user's callback.

    SciPy passes a result to a callback whose only parameter is ``intermediate_result``, but not
    with all methods and in all versions. Here it always is passed, and has the cost, the number of
    steps and the arrays.
    """

    def __init__(
        self, callback: Callable[..., Any], layout: _Layout, evaluate: Callable[[Any], Any]
    ) -> None:
        parameters = inspect.signature(callback).parameters
        self._callback = callback
        self._takes_result = set(parameters) == {"intermediate_result"}
        self._layout = layout
        self._evaluate = evaluate
        #: costs by the hash of the point
        self._costs: dict[int, float] = {}
        self._step = 0
        self.stopped = False
        #: the result after the last step
        self.last: Any = None

    def evaluate(self, x: Any) -> Any:
        """Evaluate the cost and store it for the callback."""
        result = self._evaluate(x)
        self._costs[hash(x.tobytes())] = result[0] if isinstance(result, tuple) else result
        return result

    def __call__(self, x: Any, *state: Any) -> Any:
        from scipy.optimize import OptimizeResult

        self._step += 1
        key = hash(x.tobytes())
        if key not in self._costs:
            self.evaluate(x)
        facts = dict(state[0]) if state else {}
        arrays = [np.array(a) for a in self._layout.split(x)]
        now = {"x": np.array(x), "fun": self._costs[key], "nit": self._step, "arrays": arrays}
        self.last = OptimizeResult({**facts, **now})
        try:
            if self._takes_result:
                return self._callback(intermediate_result=self.last)
            return self._callback(x, *state)
        except StopIteration:
            self.stopped = True
            raise


class _Layout:
    """The layout of several arrays in one float64 vector."""

    def __init__(self, arrays: Sequence[Any]) -> None:
        self._kinds = [(a.shape, a.dtype, a.size) for a in arrays]

    def flat(self, arrays: Sequence[Any]) -> np.ndarray[Any, Any]:
        return np.concatenate([np.ravel(a) for a in arrays]).astype(np.float64, copy=False)

    def split(self, x: Any) -> list[Any]:
        """The arrays in their own dtypes; float64 arrays are views of ``x``."""
        results, at = [], 0
        for shape, dtype, size in self._kinds:
            results.append(x[at : at + size].reshape(shape).astype(dtype, copy=False))
            at += size
        return results

    def bounds(self, params: Sequence[Any], given: Any) -> Any:
        """Convert bounds of parameters to SciPy bounds of all elements."""
        from scipy.optimize import Bounds

        sides: tuple[list[Any], list[Any]] = ([], [])
        pairs = zip(_pairs(params, given), params, self._kinds, strict=True)
        for pair, p, (shape, dtype, _) in pairs:
            for side, end, worst in zip(sides, pair, (-np.inf, np.inf), strict=True):
                value = np.asarray(worst if end is None else end, np.float64)
                try:
                    value = np.broadcast_to(value, shape)
                except ValueError:
                    raise ValueError(
                        f"a bound of {p} is a number or has the shape {shape}, got {value.shape}"
                    ) from None
                side.append(_inside(value, dtype, up=side is sides[0]))
        return Bounds(self.flat(sides[0]), self.flat(sides[1]))


def _pairs(params: Sequence[Any], given: Any) -> list[tuple[Any, Any]]:
    """The lower and upper bound of each parameter; None where there is no bound."""
    if isinstance(given, Mapping):
        strange = [str(v) for v in given if v not in params]
        if strange:
            raise ValueError(
                f"bounds are those of params, {[str(p) for p in params]}, got {strange}"
            )
        results = [given.get(p) for p in params]
    else:
        results = list(given)
        if len(results) != len(params):
            raise ValueError(
                f"bounds has a pair (low, high) for each of {len(params)} params, got "
                f"{len(results)}; a dict by parameter has those of some"
            )
    pairs = [(None, None) if pair is None else tuple(pair) for pair in results]
    for p, pair in zip(params, pairs, strict=True):
        if len(pair) != 2:
            raise ValueError(f"the bounds of {p} are a pair (low, high), got {pair}")
    return pairs


def _inside(value: Any, dtype: Any, up: bool) -> Any:
    """Round bounds inwards to a narrower dtype: values inside stay inside when they are cast."""
    with np.errstate(over="ignore"):
        near = value.astype(dtype)
    out = near < value if up else near > value
    return np.where(out, np.nextafter(near, np.asarray(np.inf if up else -np.inf, dtype)), near)


def _is_float(kind: Any) -> bool:
    return isinstance(kind, TensorType) and kind.numpy_dtype.kind == "f"


@documented_in("theano")
def minimize(
    cost: Variable,
    params: SharedVariable | Sequence[SharedVariable],
    data: Mapping[Variable, Any] | None = None,
    *,
    method: str | None = None,
    bounds: Any = None,
    hess: bool | None = None,
    hessp: bool | None = None,
    tol: float | None = None,
    callback: Callable[..., Any] | None = None,
    options: Mapping[str, Any] | None = None,
    givens: Any = None,
    mode: Any = None,
) -> Any:
    """Minimize a cost over shared variables with ``scipy.optimize.minimize``.

    The cost and its gradient are one compiled function; SciPy sees the parameters as one vector.
    The search starts at the current values, and stores the minimum in the variables.

    Parameters
    ----------
    cost : scalar variable
    params : shared variable or list of shared variables
        Of float dtypes. float32 parameters are cast from SciPy's float64 and back.
    data : dict, optional
        ``{variable: value}`` for the other inputs of the cost.
    method : str, optional
        A SciPy method. The default is BFGS, or L-BFGS-B if there are bounds.
    bounds : dict or list, optional
        ``{parameter: (low, high)}``, or a pair for each parameter in order. Each bound is a number,
        an array that broadcasts to the parameter's shape, or None.
    hess : bool, optional
        Whether to pass the Hessian to the method, as a sparse matrix where it takes one. By default
        trust-exact and dogleg get it; trust-constr and Newton-CG take it too.
    hessp : bool, optional
        Whether to pass Hessian-vector products to the method. By default Newton-CG, trust-ncg and
        trust-krylov get them; trust-constr takes them too.
    tol, options
        As in SciPy.
    callback : callable, optional
        Called after each step, as in SciPy. If its only parameter is ``intermediate_result``, it
        gets a result with ``nit`` (the number of steps so far), ``fun`` (the cost), ``arrays``
        (the values of the parameters) and ``x``; otherwise the vector of all parameters. If it
        raises StopIteration, the search ends, and the parameters have the values of that step.
    givens, mode : optional
        As for ``function``.

    Returns
    -------
    scipy.optimize.OptimizeResult
        SciPy's result. ``x`` and ``fun`` belong to the values that the variables hold now;
        ``arrays`` is the list of these values.

    Raises
    ------
    TypeError
        If the cost is not a float scalar, or a parameter is not a shared variable of floats.
    ValueError
        If bounds do not fit.

    Notes
    -----
    If SciPy stops early (``success`` is False: the iterations are used up, or rounding prevents
    a further step), the variables hold the result so far. They keep their old values if the result
    has a higher cost or a cost that is not finite, or if an error is raised. ``Minimizer`` compiles
    once for many calls.

    Examples
    --------
    >>> import numpy as np, theano, theano.tensor as T
    >>> X, Y = T.dmatrix("X"), T.dvector("Y")
    >>> w, b = theano.shared(np.zeros(2), "w"), theano.shared(0.0, "b")
    >>> cost = T.mean((T.dot(X, w) + b - Y) ** 2)
    >>> inputs = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [2.0, 1.0]])
    >>> found = theano.minimize(cost, [w, b], {X: inputs, Y: inputs @ [1.0, -2.0] + 3})
    >>> found.success, w.get_value().round(4).tolist(), b.get_value().round(4).item()
    (True, [1.0, -2.0], 3.0)
    """
    given = dict(data or {})
    minimizer = Minimizer(cost, params, list(given), givens, mode)
    return minimizer(
        *given.values(),
        method=method,
        bounds=bounds,
        hess=hess,
        hessp=hessp,
        tol=tol,
        callback=callback,
        options=options,
    )
