"""Lop and Rop: products of Jacobians with vectors, and what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.grad.driver import format_as, grad, through
from theano._src.grad.errors import NullTypeGradError
from theano._src.graph.variable import Variable
from theano._src.graph.walk import nodes_of
from theano._src.ground.documented import documented_in
from theano._src.ground.utils import MethodNotDefined
from theano._src.ops.arithmetic import add
from theano._src.ops.gradviews import tied
from theano._src.types.convert import as_tensor_variable
from theano._src.types.nothing import DisconnectedType, NullType, disconnected


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
    """Vectors ``eval_points`` times the Jacobian of ``f`` with respect to ``wrt``.

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
    made = grad(
        None,
        _list(wrt),
        consider_constant=consider_constant,
        disconnected_inputs=disconnected_inputs,
        known_grads=known,
    )
    return format_as(isinstance(wrt, list), isinstance(wrt, tuple), made)


@documented_in("theano.gradient")
def Rop(f: Any, wrt: Any, eval_points: Any) -> Any:
    """The Jacobian of ``f`` with respect to ``wrt``, times vectors ``eval_points``.

    An op without ``R_op`` is passed by differentiating its ``L_op`` once more.

    >>> import theano, theano.tensor as T
    >>> x, v = T.dvectors("xv")
    >>> T.Rop(x ** 2, x, v).eval({x: [1, 2], v: [3, 4]}).tolist()
    [6.0, 16.0]
    """
    outs, targets, points = _list(f), _list(wrt), _list(eval_points)
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
    for node in nodes_of(outs, targets):
        dxs = [tangent.get(v) for v in node.inputs]
        if all(dx is None for dx in dxs):
            continue
        _refuse_null(node.inputs, dxs)
        for v, dy in zip(node.outputs, _forward(node, dxs), strict=True):
            if dy is not None and not isinstance(dy.type, DisconnectedType):
                tangent.setdefault(v, dy)
    _refuse_null(outs, [tangent.get(v) for v in outs])
    # a function of all of wrt, also where the product does not depend on some of it
    made = [tied(tangent[v] if v in tangent else v.zeros_like(), *targets) for v in outs]
    return format_as(isinstance(f, list), isinstance(f, tuple), made)


def _refuse_null(variables: Sequence[Any], tangents: Sequence[Any]) -> None:
    """Raise for a tangent that is not there: one that nothing reads does no harm."""
    for v, dv in zip(variables, tangents, strict=True):
        if dv is not None and isinstance(dv.type, NullType):
            raise NullTypeGradError(f"{v.owner} has no R_op here. {dv.type.why_null}")


def _forward(node: Any, dxs: list[Any]) -> list[Any]:
    try:
        found = node.op.R_op(node.inputs, dxs)
    except (MethodNotDefined, NotImplementedError):
        return _by_two_reverses(node, dxs)
    return list(found)


def _by_two_reverses(node: Any, dxs: list[Any]) -> list[Any]:
    """J dx, as the gradient of (J' u) . dx with respect to u, in which it is linear."""
    outs = []
    for k, out in enumerate(node.outputs):
        # not a new input: its shape may be asked for
        u = out.zeros_like()
        back = through(node, [u if j == k else disconnected() for j in range(len(node.outputs))])
        pairs = [
            (g, dx)
            for g, dx in zip(back, dxs, strict=True)
            if dx is not None and not isinstance(g.type, DisconnectedType)
        ]
        null = [g for g, _ in pairs if isinstance(g.type, NullType)]
        terms = [(g * dx).sum() for g, dx in pairs] if not null else []
        made = grad(add(*terms), u, disconnected_inputs="ignore") if terms else None
        outs.append(null[0] if null else made)
    return outs


@documented_in("theano.gradient")
def hessian_vector_product(cost: Any, wrt: Any, p: Any, **grad_kwargs: Any) -> Any:
    """The Hessian of ``cost`` in ``wrt`` times vectors ``p``, without the Hessian.

    ``grad_kwargs`` go to the gradients it is made of, as for ``grad``.

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
    made = grad(total, targets, **{"disconnected_inputs": "ignore", **grad_kwargs})
    return format_as(isinstance(wrt, list), isinstance(wrt, tuple), made)


@documented_in("theano.gradient")
def subgraph_grad(
    wrt: Any, end: Any, start: Any = None, cost: Any = None, details: bool = False
) -> Any:
    """Gradients with respect to ``wrt`` and ``end``, from gradients at ``start`` and a ``cost``.

    Nothing is differentiated past ``end``.

    Parameters
    ----------
    wrt, end : lists of Variables
    start : dict
        ``{variable: its gradient}``.
    cost : 0-d Variable, optional
    details : bool
        Whether the parts from start and from cost are returned too.

    Returns
    -------
    Two lists, gradients of ``wrt`` and of ``end``; with ``details`` four.

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
    """Gradients of ``graph_inputs``, given those of some variables: the older form of ``grad``.

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
    made = grad(None, wrt, known_grads=dict(sources), disconnected_inputs="ignore")
    return dict(zip(wrt, made, strict=True))
