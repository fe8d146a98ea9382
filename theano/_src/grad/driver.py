"""grad: reverse-mode differentiation of graphs, node by node from the cost backwards."""

from __future__ import annotations

from collections.abc import Iterator, KeysView, Mapping, Sequence, ValuesView
from functools import reduce
from typing import Any, overload

import numpy as np

from theano._src.grad.errors import (
    DisconnectedInputError,
    GradNotImplementedError,
    NullTypeGradError,
)
from theano._src.graph import source_line as _trace
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.walk import nodes_of
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.tracebacks import warn_user
from theano._src.ground.utils import MethodNotDefined
from theano._src.ops.arrays.scalar_grad import fitting, of_numbers, slopes_of_numbers
from theano._src.ops.core.cast import cast, scalar_cast
from theano._src.ops.elementwise.arithmetic import add, fill, scalar_add
from theano._src.ops.elementwise.complex_parts import scalar_real
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.dtypes import continuous_dtypes, discrete_dtypes
from theano._src.types.null import DisconnectedType, NullType, disconnected
from theano._src.types.scalar import Scalar
from theano._src.types.tensor import TensorType, TensorVariable

#: the most terms in one addition; longer sums are trees
_TERMS = 16


@documented_in("theano.gradient")
def format_as(use_list: bool, use_tuple: bool, outputs: Any) -> Any:
    """Return ``outputs`` as a list if ``use_list``, a tuple if ``use_tuple``, else unwrapped.

    >>> format_as(True, False, 3)
    [3]
    """
    if use_list and use_tuple:
        raise ValueError("format_as makes a list or a tuple, not both")
    many = isinstance(outputs, (list, tuple))
    if use_list:
        return list(outputs) if many else [outputs]
    if use_tuple:
        return tuple(outputs) if many else (outputs,)
    return outputs[0] if many and len(outputs) == 1 else outputs


@overload
def grad(cost: Any, wrt: list[Any], *args: Any, **options: Any) -> list[TensorVariable]: ...


@overload
def grad(
    cost: Any, wrt: tuple[Any, ...], *args: Any, **options: Any
) -> tuple[TensorVariable, ...]: ...


@overload
def grad(cost: Any, wrt: TensorVariable, *args: Any, **options: Any) -> TensorVariable: ...


@overload
def grad(cost: Any, wrt: Any, *args: Any, **options: Any) -> Any: ...


@documented_in("theano.gradient")
def grad(
    cost: Any,
    wrt: Any,
    consider_constant: Sequence[Variable] | None = None,
    disconnected_inputs: str = "raise",
    add_names: bool = True,
    known_grads: Any = None,
    return_disconnected: str = "zero",
    null_gradients: str = "raise",
) -> Any:
    """Return symbolic gradients of a scalar cost with respect to variables.

    Parameters
    ----------
    cost : 0-d Variable, or None with ``known_grads``
    wrt : Variable, or list, tuple or values of a dict of them
    consider_constant : list of Variables
        Variables not to differentiate through.
    disconnected_inputs : {'raise', 'warn', 'ignore'}
        What to do if the cost does not depend on a variable of ``wrt``.
    add_names : bool
        Whether gradients are named after the cost and the variable.
    known_grads : dict or list of pairs
        Gradients of some variables, used instead of computing them.
    return_disconnected : {'zero', 'none', 'disconnected'}
        The gradient to return for a disconnected variable.
    null_gradients : {'raise', 'return'}
        What to do about a gradient that is undefined or not implemented.

    Returns
    -------
    Variable, list or tuple, as ``wrt`` is.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> theano.function([x], T.grad(x ** 2, x))(4).item()
    8.0
    """
    if isinstance(wrt, Iterator | KeysView | ValuesView):
        wrt = list(wrt)
    use_list, use_tuple = isinstance(wrt, list), isinstance(wrt, tuple)
    targets = list(wrt) if use_list or use_tuple else [wrt]
    given = dict(known_grads.items() if hasattr(known_grads, "items") else known_grads or ())
    _check(cost, targets, given, disconnected_inputs, return_disconnected, null_gradients)
    terms: dict[Variable, list[Any]] = {}
    for v, g in given.items():
        terms[v] = [_fit_known(v, as_tensor_variable(g) if not isinstance(g, Variable) else g)]
    if cost is not None and cost not in given:
        terms[cost] = [_ones(cost)]
    ends = [*([] if cost is None else [cost]), *given]
    result = _backwards(ends, targets, terms, _fixed(consider_constant), set(given))
    out = []
    for v in targets:
        g = result.get(v)
        if g is None or isinstance(g.type, DisconnectedType):
            _disconnected(v, disconnected_inputs)
            g = stand_in(v, return_disconnected)
        elif isinstance(g.type, NullType):
            if null_gradients == "raise":
                kind = NullTypeGradError if g.type.written else GradNotImplementedError
                raise kind(
                    "the gradient of a cost with respect to "
                    f"{v} is not defined: an op on the way has none. {g.type.why_null}"
                )
        elif add_names and cost is not None and cost.name is not None and v.name is not None:
            g.name = f"(d{cost.name}/d{v.name})"
        out.append(g)
    return format_as(use_list, use_tuple, out if use_list or use_tuple else out[0])


def _check(
    cost: Any, targets: Sequence[Any], given: dict[Any, Any], inputs: str, returned: str, null: str
) -> None:
    if cost is None and not given:
        raise ValueError("grad takes a cost, or known_grads where there is none")
    if cost is not None:
        if not isinstance(cost, Variable):
            raise TypeError(
                f"grad takes a symbolic cost, got {cost!r:.80} of {type(cost).__name__}; write "
                "grad(cost, wrt): the cost is an expression, such as f(x) where f is a function of "
                "Python, and comes before the variables to differentiate by"
            )
        if isinstance(cost.type, NullType):
            raise ValueError(
                f"Can't differentiate a NaN cost. cost is NaN because {cost.type.why_null}"
            )
        if getattr(cost.type, "ndim", None) != 0:
            raise TypeError(
                f"cost must be a scalar, got {cost} of {cost.type}; take its sum or mean, or use "
                f"jacobian{_made_at(cost)}"
            )
        if isinstance(cost.type, TensorType) and cost.type.dtype in discrete_dtypes and not given:
            warn_user(
                f"The gradient of {cost} of {cost.type} is zero, as integers have no derivative; "
                "make floats of them first: n.astype(theano.config.floatX)"
            )
    for v in targets:
        if not isinstance(v, Variable):
            advice = "the value of a shared variable is not a variable"
            if isinstance(v, str):
                advice = "give the variable itself, not its name"
            elif isinstance(v, Mapping | set | frozenset):
                advice = "give a list, whose order the gradients have: list(params.values())"
            raise TypeError(
                f"grad takes Variables as wrt, got {v!r:.80} of {type(v).__name__}; {advice}"
            )
    check_choices(inputs, returned)
    if null not in ("raise", "return"):
        raise ValueError(f"null_gradients is one of raise, return, got {null!r}")


def _fixed(given: Any) -> set[Any]:
    if isinstance(given, Variable):
        raise TypeError(
            f"grad takes a list as consider_constant, got the variable {given}; write "
            f"consider_constant=[{given}]"
        )
    return set(given or ())


def _made_at(v: Variable) -> str:
    where = _trace.lines(_trace.trace_of(v))
    return f" (made at {where[-1][0]}:{where[-1][1]})" if where else ""


def _ones(cost: Any) -> Any:
    """Return ones in the shape of the cost, with dtype floatX for an integer cost."""
    dtype = cost.dtype if cost.dtype in continuous_dtypes else config.floatX
    if isinstance(cost.type, Scalar):
        return cost.ones_like(dtype)
    return fill(cost, constant(np.ones((), dtype)))


def _fit_known(v: Any, g: Any) -> Any:
    if isinstance(v.type, TensorType) and v.ndim and isinstance(g.type, TensorType) and not g.ndim:
        return fill(v, g)  # one number for all elements
    if not isinstance(g.type, DisconnectedType | NullType) and getattr(g, "ndim", 0) != getattr(
        v, "ndim", 0
    ):
        raise ValueError(
            f"known_grads takes gradients of the variable's number of dimensions: {v} has "
            f"{v.ndim}, its gradient {g.ndim}"
        )
    return g


# the backward traversal


def pattern_of(node: Apply) -> list[list[bool]]:
    """Return, for each input and each output, whether the output's value depends on the input."""
    ask = getattr(node.op, "connection_pattern", None)
    if ask is None:
        return [[True] * len(node.outputs)] * len(node.inputs)
    results: list[list[bool]] = ask(node)
    if len(results) != len(node.inputs) or any(len(row) != len(node.outputs) for row in results):
        raise ValueError(
            f"connection_pattern of {node.op} gives {len(node.inputs)} rows of "
            f"{len(node.outputs)}, got {results}"
        )
    return results


def _backwards(
    ends: Sequence[Variable],
    targets: Sequence[Variable],
    terms: dict[Variable, list[Any]],
    fixed: set[Variable],
    given: set[Variable],
) -> dict[Variable, Any]:
    """Return the gradients of all variables between ``targets`` and ``ends``."""
    order = nodes_of(ends, fixed - set(ends))
    moving = set(targets)
    patterns: dict[Apply, list[list[bool]]] = {}
    for node in order:
        pattern = patterns[node] = pattern_of(node)
        for j, out in enumerate(node.outputs):
            if out not in fixed and any(
                v in moving and row[j] for v, row in zip(node.inputs, pattern, strict=True)
            ):
                moving.add(out)
    result: dict[Variable, Any] = {}

    def total(v: Variable) -> Any:
        if v not in result:
            result[v] = _sum(terms[v]) if v in terms else disconnected()
        return result[v]

    for node in reversed(order):
        if not any(v in moving for v in node.inputs):
            continue
        gs = [total(v) for v in node.outputs]
        pattern = patterns[node]
        if all(isinstance(g.type, DisconnectedType) for g in gs):
            continue
        for i, (x, g) in enumerate(zip(node.inputs, through(node, gs), strict=True)):
            connected = any(
                row and not isinstance(o.type, DisconnectedType)
                for row, o in zip(pattern[i], gs, strict=True)
            )
            if x in moving and connected and x not in given:
                terms.setdefault(x, []).append(g)
    for v in targets:
        if v in moving:
            total(v)
    return result


def through(node: Apply, gs: list[Any]) -> list[Any]:
    """Return the gradients of a node's inputs, given the gradients of its outputs."""
    new = []
    for v, g in zip(node.outputs, gs, strict=True):
        whole = getattr(v.type, "dtype", None) in discrete_dtypes
        if isinstance(g.type, DisconnectedType | NullType) or not whole:
            new.append(g)
        else:
            # the gradient through integers is zero
            new.append(v.zeros_like(dtype=config.floatX))  # type: ignore[attr-defined]
    null = next((g for g in new if isinstance(g.type, NullType)), None)
    if null is not None:
        return [null.type() for _ in node.inputs]
    try:
        if of_numbers(node):
            slopes = slopes_of_numbers(node, new)
        else:
            slopes = node.op.L_op(node.inputs, node.outputs, new)
    except MethodNotDefined as e:
        raise NotImplementedError(
            f"{node.op} has no gradient: its class gives neither L_op nor grad. It was met at "
            f"{node}{_made_at(node.outputs[0])}. Give it one, or keep the cost from depending on "
            "it with disconnected_grad"
        ) from e
    if not isinstance(slopes, list | tuple):
        raise TypeError(
            f"the gradient of {node.op} is a list with a Variable for each input, got "
            f"{type(slopes).__name__} {slopes}; write [...] around it"
        )
    if len(slopes) != len(node.inputs):
        raise ValueError(
            f"the gradient of {node.op} gives one term for each of {len(node.inputs)} inputs, got "
            f"{len(slopes)}"
        )
    return [_term(node, i, x, g) for i, (x, g) in enumerate(zip(node.inputs, slopes, strict=True))]


def _term(node: Apply, i: int, x: Any, g: Any) -> Any:
    if g is None:
        raise TypeError(
            f"the gradient of {node.op} for input {i} is None; it is disconnected(), "
            "grad_undefined() or a Variable"
        )
    if not isinstance(g, Variable):
        g = as_tensor_variable(g)
    if isinstance(g.type, DisconnectedType | NullType):
        return g
    g = fitting(x, g)
    if getattr(g.type, "dtype", None) in discrete_dtypes:
        g = _cast(g, config.floatX)
    ndim = getattr(x.type, "ndim", None)
    if ndim is not None and g.type.ndim != ndim:
        raise ValueError(
            f"the gradient of {node.op} for input {i}, {x}, has {g.type.ndim} dimensions, the "
            f"input {ndim}"
        )
    dtype = getattr(x.type, "dtype", None)
    if dtype in continuous_dtypes and g.type.dtype != dtype and g.type.dtype in continuous_dtypes:
        real = dtype not in ("complex64", "complex128")
        if real and g.type.dtype.startswith("complex"):
            # the gradient of a real variable is the real part
            g = scalar_real(g) if isinstance(g.type, Scalar) else g.real
        if g.type.dtype != dtype:
            g = _cast(g, dtype)
    return g


def _cast(g: Any, dtype: str) -> Any:
    if isinstance(g.type, Scalar):
        return scalar_cast(g, dtype)
    return cast(g, dtype) if isinstance(g.type, TensorType) else g.astype(dtype)


def _sum(terms: Sequence[Any]) -> Any:
    null = next((t for t in terms if isinstance(t.type, NullType)), None)
    if null is not None:
        return null
    rest = [t for t in terms if not isinstance(t.type, DisconnectedType)]
    if not rest:
        return disconnected()
    plus: Any = scalar_add if isinstance(rest[0].type, Scalar) else add
    if not all(isinstance(t.type, Scalar | TensorType) for t in rest):
        plus = _by_operators  # sparse matrices and user-defined Types have their own +
    while len(rest) > 1:
        rest = [
            plus(*rest[i : i + _TERMS]) if len(rest[i : i + _TERMS]) > 1 else rest[i]
            for i in range(0, len(rest), _TERMS)
        ]
    return rest[0]


def _by_operators(*terms: Any) -> Any:
    return reduce(_plus, terms)


def _plus(x: Any, y: Any) -> Any:
    # gradients of a sparse matrix are added at the stored elements
    return x.add_gradient(y) if hasattr(x, "add_gradient") else x + y


def say_disconnected(text: str, how: str) -> None:
    """Raise, warn or do nothing, depending on ``how``."""
    if how == "raise":
        raise DisconnectedInputError(text)
    if how == "warn":
        warn_user(text)


def check_choices(inputs: str, returned: str, what: str = "disconnected_inputs") -> None:
    """Raise ValueError for undocumented values of the options for disconnected variables."""
    for value, allowed, name in (
        (inputs, ("raise", "warn", "ignore"), what),
        (returned.lower(), ("zero", "none", "disconnected"), "return_disconnected"),
    ):
        if value not in allowed:
            raise ValueError(f"{name} is one of {', '.join(allowed)}, got {value!r}")


def _disconnected(v: Variable, how: str) -> None:
    text = (
        "grad method was asked to compute the gradient with respect to a variable that is not "
        "part of the computational graph of the cost, or is used only by a non-differentiable "
        f"operator: {v}{_made_at(v)}. disconnected_inputs='ignore' gives zero for it"
    )
    say_disconnected(text, how)


def stand_in(v: Any, how: str) -> Any:
    """Return the value for a missing derivative: zeros, None or a disconnected variable."""
    match how.lower():
        case "zero":
            dtype = v.dtype if v.dtype in continuous_dtypes else config.floatX
            return v.zeros_like(dtype=dtype)
        case "none":
            return None
        case _:
            return disconnected()
