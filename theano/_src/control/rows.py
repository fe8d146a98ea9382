"""Jacobians and Hessians: one gradient a row, all rows at once where the engine can."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.control.inner import evaluate_inner, runs_anywhere
from theano._src.grad.driver import format_as, grad
from theano._src.grad.products import Lop
from theano._src.graph.clone import clone, rebuild
from theano._src.graph.node import Apply
from theano._src.graph.op import Op
from theano._src.graph.variable import Constant, Variable
from theano._src.graph.walk import nodes_of
from theano._src.ground.documented import documented_in
from theano._src.types.constructors import CONSTRUCTORS
from theano._src.types.convert import as_tensor_variable
from theano._src.types.nothing import DisconnectedType, disconnected
from theano._src.types.tensor import tensor_type


class EachRow(Op):
    """``f(i, *inputs)`` for i from 0 to n, stacked: n and the inputs in, one array for each output.

    Output k of ``f`` has the shape of input k, also where n is 0. On NumPy the rows are computed
    one by one, on XLA all at once.
    """

    def __init__(self, index: Variable, inputs: Sequence[Variable], outputs: Sequence[Variable]):
        self.inner_inputs, self.inner_outputs = clone([index, *inputs], list(outputs))
        self.order = nodes_of(self.inner_outputs, self.inner_inputs)
        self.runs_on = "any" if runs_anywhere(self.order) else "host"  # type: ignore[misc]
        self.demand_only = (0,)  # type: ignore[misc]

    def make_node(self, n: Any, *inputs: Any) -> Apply:
        outs = [
            tensor_type(v.type.dtype, (False, *v.type.broadcastable)) for v in self.inner_outputs
        ]
        return Apply(self, [as_tensor_variable(n), *inputs], [t() for t in outs])

    def compute(self, xp: Any, n: Any, *inputs: Any) -> Any:
        return self.lower_xla(xp, [int(n)], n, *inputs)

    def lower_xla(self, xp: Any, known: Sequence[int], n: Any, *inputs: Any) -> Any:
        (rows,) = known
        many = len(self.inner_outputs)
        if rows == 0:
            made = [
                xp.zeros((0, *x.shape), v.type.numpy_dtype)
                for x, v in zip(inputs, self.inner_outputs, strict=False)
            ]
        else:
            made = xp.each(
                lambda i: evaluate_inner(
                    xp, self.order, self.inner_inputs, self.inner_outputs, [i, *inputs]
                ),
                rows,
            )
        return made[0] if many == 1 else tuple(made)

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return [node.inputs[0]]

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        n = node.inputs[0]
        return [(n, *shape) for shape in shapes[1 : 1 + len(node.outputs)]]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[i > 0] * len(node.outputs) for i in range(len(node.inputs))]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (n, *xs), gs = inputs, output_grads
        index, *free = self.inner_inputs
        used = [k for k, g in enumerate(gs) if not isinstance(g.type, DisconnectedType)]
        rows = [tensor_type(gs[k].dtype, gs[k].type.broadcastable[1:])() for k in used]
        back = Lop([self.inner_outputs[k] for k in used], free, rows, disconnected_inputs="ignore")
        whole = [tensor_type(gs[k].dtype, gs[k].type.broadcastable)() for k in used]
        from_whole = dict(zip(rows, [w[index] for w in whole], strict=True))
        outs = rebuild(back, from_whole)
        op = EachRow(index, [*free, *whole], outs)
        made = op(n, *xs, *[gs[k] for k in used], return_list=True)
        return [disconnected(), *[m.sum(axis=0) for m in made]]

    def __str__(self) -> str:
        return "EachRow"


def _frontier(outputs: Sequence[Variable], index: Variable) -> list[Variable]:
    """What the nodes that depend on ``index`` read and that does not depend on it."""
    moving: set[Variable] = {index}
    found: dict[Variable, None] = {}
    for node in nodes_of(outputs):
        if not any(v in moving for v in node.inputs):
            continue
        moving.update(node.outputs)
        found.update(
            (v, None) for v in node.inputs if v not in moving and not isinstance(v, Constant)
        )
    found.update((v, None) for v in outputs if v not in moving and not isinstance(v, Constant))
    return list(found)


@documented_in("theano.gradient")
def jacobian(
    expression: Any,
    wrt: Any,
    consider_constant: Sequence[Variable] | None = None,
    disconnected_inputs: str = "raise",
) -> Any:
    """The derivatives of each element of a vector with respect to variables.

    Parameters
    ----------
    expression : 0-d or 1-d Variable
    wrt : Variable, or list or tuple of them
    consider_constant, disconnected_inputs : as for ``grad``

    Returns
    -------
    For each of ``wrt`` a tensor with a row for each element, of its shape.

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
    i = CONSTRUCTORS["lscalar"]("i")
    rows = grad(expression[i], targets, **options)  # type: ignore[index]
    free = [v for v in _frontier(rows, i) if v not in targets]
    op = EachRow(i, [*targets, *free], rows)
    made = op(expression.shape[0], *targets, *free, return_list=True)  # type: ignore[attr-defined]
    return format_as(*shape, made)


@documented_in("theano.gradient")
def hessian(
    cost: Any,
    wrt: Any,
    consider_constant: Sequence[Variable] | None = None,
    disconnected_inputs: str = "raise",
) -> Any:
    """The second derivatives of a cost with respect to vectors; arguments as for ``jacobian``.

    >>> import theano, theano.tensor as T
    >>> x = T.dvector()
    >>> theano.gradient.hessian((x ** 3).sum(), x).eval({x: [1, 2]}).tolist()
    [[6.0, 0.0], [0.0, 12.0]]
    """
    many = isinstance(wrt, (list, tuple))
    targets = list(wrt) if many else [wrt]
    made = []
    for v in targets:
        if getattr(v.type, "ndim", None) != 1:
            raise ValueError(f"hessian takes vectors as wrt, got {v} of {v.type}")
        first = grad(cost, v, consider_constant, disconnected_inputs)
        made.append(jacobian(first, v, consider_constant, disconnected_inputs="ignore"))
    return format_as(isinstance(wrt, list), isinstance(wrt, tuple), made)
