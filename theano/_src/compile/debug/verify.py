"""verify_grad: gradients compared with finite differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.compile.function import function
from theano._src.grad.driver import grad
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.types.shared_constructors import shared
from theano._src.types.tensor import TensorVariable, tensor_type

__all__ = ["GradientError", "numeric_grad", "verify_grad"]

#: absolute and relative tolerance, by the narrowest dtype
_TOLERANCE = {"float16": 5e-2, "float32": 1e-2, "float64": 1e-4}


@documented_in("theano.gradient")
class GradientError(Exception):
    """A gradient differs from finite differences by more than the tolerances.

    Parameters
    ----------
    arg, err_pos : int
        The number of the input, and the flat position in it where they differ most.
    shape : tuple of int
        The shape of that input.
    val1, val2 : float
        The verified gradient and the numeric gradient at that position.
    abs_err, rel_err, abs_tol, rel_tol : float
    """

    def __init__(
        self,
        arg: int,
        err_pos: int,
        shape: tuple[int, ...],
        val1: Any,
        val2: Any,
        abs_err: Any,
        rel_err: Any,
        abs_tol: float,
        rel_tol: float,
    ) -> None:
        super().__init__()
        self.arg = arg
        self.err_pos = err_pos
        self.shape = shape
        self.val1 = val1
        self.val2 = val2
        self.abs_err = abs_err
        self.rel_err = rel_err
        self.abs_tol = abs_tol
        self.rel_tol = rel_tol

    def __reduce__(self) -> Any:
        # the numbers are not in args, because callers append to args
        return _unpickled, (self.__dict__.copy(), self.args)

    def __str__(self) -> str:
        text = "\n".join(map(str, self.args))
        return (
            "GradientError: numeric gradient and analytic gradient exceed tolerance:\n"
            f"        At position {self.err_pos} of argument {self.arg} with shape {self.shape},\n"
            f"            val1 = {self.val1:f}      ,  val2 = {self.val2:f}\n"
            f"            abs. error = {self.abs_err:f},  abs. tolerance = {self.abs_tol:f}\n"
            f"            rel. error = {self.rel_err:f},  rel. tolerance = {self.rel_tol:f}\n"
            f"Exception args: {text}"
        )


def _unpickled(facts: dict[str, Any], args: tuple[Any, ...]) -> GradientError:
    error = GradientError.__new__(GradientError)
    error.__dict__.update(facts)
    error.args = args
    return error


@documented_in("theano.gradient")
class numeric_grad:
    """The gradient of a function of arrays by central differences, in ``gf``.

    Parameters
    ----------
    f : callable
        Takes the arrays of ``pt`` and returns a number.
    pt : array, or list or tuple of arrays
        The point at which to differentiate; ``gf`` is an array or a list of arrays accordingly.
    eps : float, optional
        The step; the default depends on the narrowest dtype of ``pt`` and ``out_type``.
    out_type : str, optional
        The dtype that ``f`` computes in, if it is narrower.

    >>> numeric_grad(lambda x: (x**2).sum(), np.array([1.0, 2.0])).gf.round(6).tolist()
    [2.0, 4.0]
    """

    type_eps = {"float64": 1e-7, "float32": 3e-4, "float16": 1e-1} | {
        np.dtype("float64"): 1e-7,
        np.dtype("float32"): 3e-4,
        np.dtype("float16"): 1e-1,
    }

    def __init__(
        self,
        f: Callable[..., Any],
        pt: Any,
        eps: float | None = None,
        out_type: str | None = None,
    ) -> None:
        many = isinstance(pt, (list, tuple))
        # C-contiguous copies: they are written to through flat views below
        points = [np.array(p, order="C") for p in (pt if many else [pt])]
        for i, p in enumerate(points):
            if p.dtype.name not in _TOLERANCE:
                raise TypeError(f"numeric_grad takes arrays of floats, got {p.dtype} as input {i}")
        step = float(self.type_eps[_narrowest(points, out_type)]) if eps is None else float(eps)
        results = [np.zeros(p.shape, p.dtype) for p in points]
        for p, g in zip(points, results, strict=True):
            # reshape, because 0-d arrays need a flat view to write to
            x, gx = p.reshape(-1), g.reshape(-1)
            for i in range(x.size):
                old = x[i]
                x[i] = old + step
                above, far = _number(f(*[q.copy() for q in points])), x[i]
                x[i] = old - step
                try:
                    below, near = _number(f(*[q.copy() for q in points])), x[i]
                except Exception:
                    # the domain may end here, as that of a radius does at zero
                    x[i] = old
                    below, near = _number(f(*[q.copy() for q in points])), x[i]
                x[i] = old
                # divide by the actual step, which differs from the intended one by rounding
                gx[i] = (above - below) / (np.float64(far) - np.float64(near))
        self.gf: Any = results if many else results[0]

    @staticmethod
    def abs_rel_err(a: Any, b: Any) -> tuple[Any, Any]:
        """Return the elementwise absolute and relative error between two arrays.

        >>> numeric_grad.abs_rel_err(np.float64(1), np.float64(3))
        (np.float64(2.0), np.float64(0.5))
        """
        abs_err = abs(a - b)
        return abs_err, abs_err / np.maximum(abs(a) + abs(b), 1e-8)

    def abs_rel_errors(self, g_pt: Sequence[Any]) -> list[tuple[Any, Any]]:
        """Return absolute and relative errors of each array of ``g_pt`` compared with ``gf``."""
        mine = self.gf if isinstance(self.gf, list) else [self.gf]
        if len(g_pt) != len(mine):
            raise ValueError(
                f"abs_rel_errors takes a gradient for each of {len(mine)} inputs, got {len(g_pt)}"
            )
        errors = []
        for i, (a, b) in enumerate(zip(g_pt, mine, strict=True)):
            if np.shape(a) != b.shape:
                raise ValueError(
                    f"abs_rel_errors takes gradients of the shapes of the inputs: input {i} has "
                    f"{b.shape}, its gradient {np.shape(a)}"
                )
            errors.append(self.abs_rel_err(np.asarray(a), b))
        return errors

    def max_err(self, g_pt: Sequence[Any], abs_tol: float, rel_tol: float) -> Any:
        """Find where ``g_pt`` differs most from ``gf``, measured in tolerances.

        Returns
        -------
        tuple
            Number of the input, flat position in it, absolute and relative error there.
        """
        worst: tuple[float, tuple[int, int, Any, Any]] = (-1.0, (0, 0, 0.0, 0.0))
        for arg, (abs_err, rel_err) in enumerate(self.abs_rel_errors(g_pt)):
            if not np.isfinite(abs_err).all():
                raise ValueError(
                    f"the gradient for input {arg} cannot be compared: it, or that by finite "
                    f"differences, is not finite; they differ by {abs_err!r}"
                )
            if not abs_err.size:
                continue
            # an element within either tolerance is right
            scaled = np.minimum(abs_err / abs_tol, rel_err / rel_tol).reshape(-1)
            pos = int(scaled.argmax())
            if scaled[pos] > worst[0]:
                at = (arg, pos, abs_err.reshape(-1)[pos], rel_err.reshape(-1)[pos])
                worst = (float(scaled[pos]), at)
        return worst[1]


def _dense(g: Any) -> Any:
    """Convert a gradient, which may be a sparse matrix, to an array."""
    return g.toarray() if hasattr(g, "toarray") else g


@documented_in("theano.gradient")
def verify_grad(
    fun: Callable[..., Any],
    pt: Sequence[Any],
    n_tests: int = 2,
    rng: Any = None,
    eps: float | None = None,
    out_type: str | None = None,
    abs_tol: float | None = None,
    rel_tol: float | None = None,
    mode: Any = None,
    cast_to_output_type: bool = False,
    no_debug_ref: bool = True,
) -> None:
    """Compare the gradient of ``fun`` with finite differences; raise if it is wrong.

    The differentiated cost is the sum of the output times random numbers: a gradient that is
    right for a few random projections is almost certainly right.

    Parameters
    ----------
    fun : callable
        Takes one variable for each array of ``pt`` and returns one variable; may be an Op.
    pt : list or tuple of float arrays
        The point at which to compare.
    n_tests : int
        The number of comparisons, each with new random numbers.
    rng : numpy.random.RandomState
        Or any object that has its ``rand`` method.
    eps : float, optional
        The step of the finite differences.
    out_type : str, optional
        The dtype that ``fun`` computes in, if it is narrower than those of input and output.
    abs_tol, rel_tol : float, optional
        An element is wrong if its error exceeds both.
    mode : str or Mode, optional
    cast_to_output_type : bool
        Whether the random numbers have the dtype of the output, even if that is float32.
    no_debug_ref : bool
        Accepted and ignored. In Theano: compute finite differences without DebugMode.

    Raises
    ------
    GradientError

    >>> import theano.tensor as T
    >>> verify_grad(T.tanh, [np.array([[2.0, 3.0], [-1.0, 3.3]])], rng=np.random.RandomState(0))
    """
    points = _points(pt)
    if rng is None:
        raise TypeError(
            "verify_grad takes a numpy.random.RandomState as rng, got None; "
            "theano.tests.unittest_tools.verify_grad makes one by itself"
        )
    inputs = [
        tensor_type(p.dtype.name, tuple(n == 1 for n in p.shape))(f"input {i}")
        for i, p in enumerate(points)
    ]
    output = fun(*inputs)
    if isinstance(output, (list, tuple)):
        raise TypeError(
            f"verify_grad takes a function that gives one variable, got {len(output)}; "
            "wrap it in one that picks an output"
        )
    if not isinstance(output, TensorVariable):
        raise TypeError(f"verify_grad takes a function that gives a tensor, got {output!r}")
    narrow = _narrowest(points, out_type, output.type.dtype)
    abs_tol = _TOLERANCE[narrow] if abs_tol is None else abs_tol
    rel_tol = _TOLERANCE[narrow] if rel_tol is None else rel_tol

    # as_seen: the output as a compiled function returns it, for its shape
    as_seen = function(
        inputs, output, mode=mode, on_unused_input="ignore", name="verify_grad", accept_inplace=True
    )
    shape = np.shape(as_seen(*[p.copy() for p in points]))
    single = cast_to_output_type and output.type.dtype in _TOLERANCE
    dtype = output.type.dtype if single else "float64"
    projection = shared(np.zeros(shape, dtype), broadcastable=output.type.broadcastable)
    cost = (projection * output).sum()
    if cost.type.dtype not in _TOLERANCE:
        raise TypeError(f"verify_grad takes a function that gives floats, got {output.type}")
    if cast_to_output_type and cost.type.dtype != dtype:
        cost = cast(cost, dtype)
    value = function(
        inputs,
        cost,
        mode=mode,
        on_unused_input="ignore",
        name="verify_grad_cost",
        accept_inplace=True,
    )
    gradients = function(
        inputs,
        grad(cost, inputs, disconnected_inputs="ignore"),
        mode=mode,
        on_unused_input="ignore",
        name="verify_grad_gradient",
        accept_inplace=True,
    )
    try:
        for _ in range(n_tests):
            drawn = np.asarray(rng.rand(*shape)) + 0.5
            projection.set_value(drawn.astype(dtype))
            numeric = numeric_grad(value, points, eps, narrow)
            results = [_dense(g) for g in gradients(*[p.copy() for p in points])]
            _compare(numeric, results, points, abs_tol, rel_tol)
    except Exception as e:
        e.args += (
            "\nThe error happened with the following inputs:",
            points,
            "\nThe value of eps is:",
            eps,
            "\nThe out_type is:",
            out_type,
        )
        raise


def _compare(
    numeric: numeric_grad, results: list[Any], points: list[Any], abs_tol: float, rel_tol: float
) -> None:
    arg, pos, abs_err, rel_err = numeric.max_err(results, abs_tol, rel_tol)
    if abs_err > abs_tol and rel_err > rel_tol:
        raise GradientError(
            arg,
            pos,
            points[arg].shape,
            np.asarray(results[arg]).reshape(-1)[pos],
            numeric.gf[arg].reshape(-1)[pos],
            abs_err,
            rel_err,
            abs_tol,
            rel_tol,
        )


def _points(pt: Any) -> list[np.ndarray]:
    if not isinstance(pt, (list, tuple)):
        raise TypeError(
            f"verify_grad takes a list or tuple of arrays as pt, got {type(pt).__name__}; "
            "write [pt] for a function of one variable"
        )
    # integers become floats, as in the example of Theano's documentation
    points = [np.array(p, config.floatX if np.asarray(p).dtype.kind in "iu" else None) for p in pt]
    for i, p in enumerate(points):
        if p.dtype.name not in _TOLERANCE:
            raise TypeError(
                "verify_grad can work only with floating point inputs, but input "
                f'{i} has dtype "{p.dtype}"; write it as floats, or build it into fun'
            )
    return points


def _narrowest(points: Sequence[np.ndarray], *more: str | None) -> str:
    """The float dtype with the fewest digits."""
    names = [p.dtype.name for p in points] + [d for d in more if d is not None]
    floats = [d for d in names if d in _TOLERANCE]
    return min(floats, key=lambda d: np.dtype(d).itemsize, default="float64")


def _number(x: Any) -> np.float64:
    array = np.asarray(x)
    if array.size != 1:
        raise TypeError(f"numeric_grad takes a function that gives a number, got {array.shape}")
    return np.float64(array.reshape(()))
