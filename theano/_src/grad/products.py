"""Lop and Rop: products of Jacobians with vectors, and functions built on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.grad.driver import (
    check_choices,
    format_as,
    grad,
    pattern_of,
    say_disconnected,
    stand_in,
    through,
)
from theano._src.grad.errors import NullTypeGradError
from theano._src.graph.graph import Variable
from theano._src.graph.walk import nodes_of
from theano._src.ground.documented import documented_in
from theano._src.ground.utils import MethodNotDefined
from theano._src.ops.arrays.scalar_grad import of_numbers
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import add, scalar_add
from theano._src.ops.meta.grad_views import tied
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import continuous_dtypes
from theano._src.types.null import DisconnectedType, NullType, disconnected


def _list(things: Any) -> list[Any]:
    return list(things) if isinstance(things, (list, tuple)) else [things]


@documented_in("theano.gradient")
def Lop(
    f: Any,
    wrt: Any,
    eval_points: Any,
    consider_constant: Sequence[Variable] | None = None,
    disconnected_inputs: str = "raise",
) -> Any:
    r"""Return the vectors ``eval_points`` times the Jacobian of ``f`` with respect to ``wrt``.

    .. math:: v^\top J, \qquad J_{ij} = \frac{\partial f_i}{\partial x_j}

    ``consider_constant`` and ``disconnected_inputs`` are as for ``grad``.

    >>> import theano, theano.tensor as T
    >>> x, v = T.dvectors("xv")
    >>> T.Lop(x ** 2, x, v).eval({x: [1, 2], v: [3, 4]}).tolist()
    [6.0, 16.0]
    """
    outs, points = _list(f), _list(eval_points)
    if len(outs) != len(points):
        raise ValueError(f"Lop takes a point for each of {len(outs)} outputs, got {len(points)}")
    known = {
        out: point if isinstance(point, Variable) else as_tensor_variable(point)
        for out, point in zip(outs, points, strict=True)
    }
    result = grad(
        None,
        _list(wrt),
        consider_constant=consider_constant,
        disconnected_inputs=disconnected_inputs,
        known_grads=known,
    )
    return format_as(isinstance(wrt, list), isinstance(wrt, tuple), result)


@documented_in("theano.gradient")
def Rop(
    f: Any,
    wrt: Any,
    eval_points: Any,
    disconnected_outputs: str = "raise",
    return_disconnected: str = "zero",
) -> Any:
    r"""Return the Jacobian of ``f`` with respect to ``wrt`` times the vectors ``eval_points``.

    .. math:: J v, \qquad J_{ij} = \frac{\partial f_i}{\partial x_j}

    For an op without ``R_op``, its ``L_op`` is differentiated once more. The product is unknown
    for variables that depend on an op whose ``R_op`` returns None, and for integer variables that
    are not computed by an elementwise op.

    Parameters
    ----------
    f : Variable or list of Variables
    wrt : Variable or list of Variables
    eval_points : Variable or list of Variables
        One for each of ``wrt``.
    disconnected_outputs : {'raise', 'warn', 'ignore'}
        What to do if a product is unknown.
    return_disconnected : {'zero', 'none', 'disconnected'}
        The value to return for an unknown product.

    >>> import theano, theano.tensor as T
    >>> x, v = T.dvectors("xv")
    >>> T.Rop(x ** 2, x, v).eval({x: [1, 2], v: [3, 4]}).tolist()
    [6.0, 16.0]
    """
    outs, targets, points = _list(f), _list(wrt), _list(eval_points)
    check_choices(disconnected_outputs, return_disconnected, "disconnected_outputs")
    if len(targets) != len(points):
        raise ValueError(f"Rop takes a point for each of {len(targets)} wrt, got {len(points)}")
    tangent: dict[Variable, Any] = {}
    for v, point in zip(targets, points, strict=True):
        point = point if isinstance(point, Variable) else as_tensor_variable(point)
        if point.type.ndim != v.type.ndim:
            raise ValueError(
                f"the point of {v} has {point.type.ndim} dimensions, {v} has {v.type.ndim}"
            )
        tangent[v] = point
    # for each variable with an unknown tangent, the node that lost it
    missing: dict[Variable, Any] = {}
    for node in nodes_of(outs, targets):
        _forward_all(node, tangent, missing)
    _refuse_null(outs, [tangent.get(v) for v in outs])
    results = []
    for v in outs:
        if v in missing or (v not in tangent and _never_known(v)):
            _say_lost(v, missing.get(v), disconnected_outputs)
            dv = stand_in(v, return_disconnected)
        else:
            dv = tangent[v] if v in tangent else v.zeros_like()
        # make the result depend on all of wrt, even if the product does not
        known = dv is not None and not isinstance(dv.type, DisconnectedType)
        results.append(tied(dv, *targets) if known else dv)
    return format_as(isinstance(f, list), isinstance(f, tuple), results)


def _forward_all(node: Any, tangent: dict[Variable, Any], missing: dict[Variable, Any]) -> None:
    """Add the tangents of a node's outputs to ``tangent``, and unknown ones to ``missing``."""
    dxs = [tangent.get(v) for v in node.inputs]
    if all(dx is None for dx in dxs) and not any(v in missing for v in node.inputs):
        return
    pattern = pattern_of(node)
    dxs = [
        dx if any(row) or not _is_null(dx) else None for dx, row in zip(dxs, pattern, strict=True)
    ]
    _refuse_null(node.inputs, dxs)
    requested = any(dx is not None and any(row) for dx, row in zip(dxs, pattern, strict=True))
    result = _forward(node, dxs) if requested else [None] * len(node.outputs)
    for j, (out, dy) in enumerate(zip(node.outputs, result, strict=True)):
        matters = [v for v, row in zip(node.inputs, pattern, strict=True) if row[j] and _moves(v)]
        gone = next((missing[v] for v in matters if v in missing), None)
        if gone is None and dy is None and any(v in tangent for v in matters):
            gone = node
        if gone is not None and _moves(out):
            missing[out] = gone
        elif dy is not None and not isinstance(dy.type, DisconnectedType):
            tangent.setdefault(out, dy)


def _moves(v: Variable) -> bool:
    """Whether a variable is continuous: integers do not change with small changes of inputs."""
    return getattr(v.type, "dtype", None) in continuous_dtypes


def _never_known(v: Variable) -> bool:
    """Whether a variable without a tangent may still depend on ``wrt``."""
    return v.owner is None or not (_moves(v) or isinstance(v.owner.op, Elemwise))


def _say_lost(v: Variable, node: Any, how: str) -> None:
    why = "" if node is None else f": R_op of {node.op} gives None in {node}"
    say_disconnected(
        f"Rop cannot compute the product with the Jacobian of {v}, which does not depend on "
        f"wrt, or by non-differentiable operators only{why}. disconnected_outputs='ignore' gives "
        "zero for it",
        how,
    )


def _is_null(dv: Any) -> bool:
    return dv is not None and isinstance(dv.type, NullType)


def _refuse_null(variables: Sequence[Any], tangents: Sequence[Any]) -> None:
    """Raise for undefined tangents; called only for tangents that are read."""
    for v, dv in zip(variables, tangents, strict=True):
        if _is_null(dv):
            raise NullTypeGradError(f"{v.owner} has no R_op here. {dv.type.why_null}")


def _forward(node: Any, dxs: list[Any]) -> list[Any]:
    try:
        op = node.op.R_op(node.inputs, dxs)
    except (MethodNotDefined, NotImplementedError):
        return _by_two_reverses(node, dxs)
    return list(op)


def _by_two_reverses(node: Any, dxs: list[Any]) -> list[Any]:
    """Return J dx as the gradient of (J' u) . dx with respect to u, which is linear in u."""
    if of_numbers(node):
        return [_of_numbers(node, dxs)]
    outs = []
    for k, out in enumerate(node.outputs):
        # zeros, not a new input: the gradient may need its shape
        u = out.zeros_like()
        back = through(node, [u if j == k else disconnected() for j in range(len(node.outputs))])
        pairs = [
            (g, dx)
            for g, dx in zip(back, dxs, strict=True)
            if dx is not None and not isinstance(g.type, DisconnectedType)
        ]
        null = [g for g, _ in pairs if isinstance(g.type, NullType)]
        terms = [(g * dx).sum() for g, dx in pairs] if not null else []
        result = grad(add(*terms), u, disconnected_inputs="ignore") if terms else disconnected()
        outs.append(null[0] if null else result)
    return outs


def _of_numbers(node: Any, dxs: list[Any]) -> Any:
    """Return J dx for an op on single numbers, whose partial derivatives are 1x1: J' u = J u."""
    terms = [through(node, [dx])[i] for i, dx in enumerate(dxs) if dx is not None]
    rest = [t for t in terms if not isinstance(t.type, DisconnectedType)]
    null = next((t for t in rest if isinstance(t.type, NullType)), None)
    if null is not None or not rest:
        return null or disconnected()
    return scalar_add(*rest) if len(rest) > 1 else rest[0]


@documented_in("theano.gradient")
def hessian_vector_product(cost: Any, wrt: Any, p: Any, **grad_kwargs: Any) -> Any:
    r"""Return the Hessian of ``cost`` in ``wrt`` times the vectors ``p``, without forming it.

    .. math:: H p, \qquad H_{ij} = \frac{\partial^2 C}{\partial x_i \, \partial x_j}

    ``grad_kwargs`` are passed to both gradients, as for ``grad``.

    >>> import theano, theano.tensor as T
    >>> x, v = T.dvectors("xv")
    >>> theano.gradient.hessian_vector_product((x ** 3).sum(), x, v).eval(
    ...     {x: [1, 2], v: [1, 1]}).tolist()
    [6.0, 12.0]
    """
    targets, points = _list(wrt), _list(p)
    if len(targets) != len(points):
        raise ValueError(f"a point is needed for each of {len(targets)} wrt, got {len(points)}")
    first = grad(cost, targets, **grad_kwargs)
    products = [(g * point).sum() for g, point in zip(first, points, strict=True)]
    total = products[0]
    for product in products[1:]:
        total = total + product
    result = grad(total, targets, **{"disconnected_inputs": "ignore", **grad_kwargs})
    return format_as(isinstance(wrt, list), isinstance(wrt, tuple), result)


@documented_in("theano.gradient")
def subgraph_grad(
    wrt: Any, end: Any, start: Any = None, cost: Any = None, details: bool = False
) -> Any:
    """Return gradients of ``wrt`` and ``end``, from gradients at ``start`` and a ``cost``.

    Differentiation stops at ``end``.

    Parameters
    ----------
    wrt, end : lists of Variables
    start : dict
        ``{variable: its gradient}``.
    cost : 0-d Variable, optional
    details : bool
        Whether to return the contributions of ``start`` and ``cost`` separately too.

    Returns
    -------
    Two lists, the gradients of ``wrt`` and of ``end``; with ``details`` four.

    >>> import theano, theano.tensor as T
    >>> x, w = T.dscalars("xw")
    >>> h = w * x
    >>> _, (at_h,) = theano.subgraph_grad([w], [h], cost=h ** 2)
    >>> at_h.eval({x: 3, w: 2}).item()
    12.0
    """
    if cost is None and start is None:
        raise ValueError("subgraph_grad takes start, cost, or both")
    params = [*_list(wrt), *_list(end)]
    options: dict[str, Any] = {
        "consider_constant": _list(end),
        "disconnected_inputs": "ignore",
    }
    parts: list[Any] = [None, None]
    if start is not None:
        parts[0] = grad(None, params, known_grads=start, **options)
    if cost is not None:
        parts[1] = grad(cost, params, **options)
    both = [p for p in parts if p is not None]
    total = both[0] if len(both) == 1 else [a + b for a, b in zip(*both, strict=True)]
    n = len(_list(wrt))
    if not details:
        return total[:n], total[n:]
    return (
        total[:n],
        total[n:],
        *[None if p is None else p[:n] for p in parts],
    )


@documented_in("theano.gradient")
def grad_sources_inputs(sources: Any, graph_inputs: Any) -> dict[Variable, Any]:
    """Return gradients of ``graph_inputs`` from known ones: an older interface to ``grad``.

    Parameters
    ----------
    sources : list of pairs ``(variable, gradient)``
    graph_inputs : list of Variables

    >>> import theano, theano.tensor as T
    >>> x, g = T.dscalars("xg")
    >>> theano.gradient.grad_sources_inputs([(x ** 2, g)], [x])[x].eval({x: 3, g: 10}).item()
    60.0
    """
    wrt = _list(graph_inputs)
    result = grad(None, wrt, known_grads=dict(sources), disconnected_inputs="ignore")
    return dict(zip(wrt, result, strict=True))
