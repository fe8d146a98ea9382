"""Gradients of ifelse: move ops on a choice with a zero branch into the branches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.control.ifelse import IfElse
from theano._src.graph.graph import Apply, Variable
from theano._src.ops.core.cast import Cast
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import Add, Mul, Neg, Second, TrueDiv
from theano._src.ops.index.subtensor import IncSubtensor, Subtensor
from theano._src.ops.linalg.dot import Dot
from theano._src.ops.reduce.careduce import Sum
from theano._src.ops.shape.alloc import Alloc, alloc
from theano._src.ops.shape.dims import patternbroadcast
from theano._src.ops.shape.shape import Reshape, Shape_i
from theano._src.rewrite.driver import replace_recorded
from theano._src.rewrite.log import RewriteTrace
from theano._src.rewrite.pattern import uniform_value
from theano._src.types.convert import constant


def lift_zeros(fgraph: Any, trace: RewriteTrace | None = None) -> int:
    """f(ifelse(c, g, 0)) -> ifelse(c, f(g), 0), where f of 0 is 0.

    The gradient of a branch consists of such f. It is then as lazy as the branch, and an infinite
    slope of a branch that is not taken is not multiplied by the zero.
    """
    shapes = getattr(fgraph, "shape_feature", None)
    if shapes is None or not any(type(n.op) is IfElse for n in fgraph.apply_nodes):
        return 0
    count = 0
    # lifted nodes come before their users, which then see an ifelse
    for node in fgraph.toposort():
        new = _summed(node, shapes) if _is(node, Add) else _lifted(node, shapes)
        if new is None:
            continue
        replace_recorded(fgraph, trace, "ifelse_lift", node, [(node.outputs[0], new)])
        count += 1
    return count


def _is(node: Apply, *kinds: type) -> bool:
    op = node.op
    return isinstance(op, Elemwise) and isinstance(op.scalar_op, kinds) and not op.inplace_items


def _sides(v: Variable) -> tuple[Variable, Variable, Variable] | None:
    """Return the condition and both values of an output of an ifelse; None for others."""
    node = v.owner
    if node is None or type(node.op) is not IfElse:
        return None
    assert v.index is not None
    c, n = node.inputs[0], node.op.n_outs
    return c, node.inputs[1 + v.index], node.inputs[1 + n + v.index]


def _is_zero(v: Variable) -> bool:
    while v.owner is not None and isinstance(v.owner.op, Alloc | DimShuffle):
        v = v.owner.inputs[0]
    value = uniform_value(v)
    return value is not None and bool(value == 0)


def _carriers(node: Apply) -> Sequence[int]:
    """Return the positions of inputs whose zero makes the output zero, if the others are finite."""
    op = node.op
    if len(node.outputs) != 1:
        return ()
    if _is(node, Mul):
        return range(len(node.inputs))
    if _is(node, Neg, Cast, TrueDiv) or isinstance(
        op, DimShuffle | Reshape | Sum | Subtensor | Alloc
    ):
        return (0,)
    if _is(node, Second):
        return (1,)
    if isinstance(op, IncSubtensor) and not op.destroy_map and _is_zero(node.inputs[0]):
        return (1,)
    return (0, 1) if type(op) is Dot else ()


def _lifted(node: Apply, shapes: Any) -> Any:
    for i in _carriers(node):
        result = _sides(node.inputs[i])
        if result is None:
            continue
        c, *values = result
        nothing = [_is_zero(v) for v in values]
        if any(nothing) and not all(nothing):
            results = [_applied(node, {i: v}) for v in values]
            return _choice(node, c, results, nothing, shapes)
    return None


def _summed(node: Apply, shapes: Any) -> Any:
    """ifelse(c, a, 0) + ifelse(c, b, 0) -> ifelse(c, a + b, 0)"""
    results = [f for v in node.inputs if (f := _sides(v)) is not None]
    out = node.outputs[0]
    if len(results) < len(node.inputs) or any(f[0] is not results[0][0] for f in results):
        return None
    if any(v.type != out.type for v in node.inputs):
        return None
    pairs = [f[1:] for f in results]
    zeros = [[_is_zero(v) for v in side] for side in zip(*pairs, strict=True)]
    if not any(map(any, zeros)):
        return None
    result = [_applied(node, dict(enumerate(side))) for side in zip(*pairs, strict=True)]
    return _choice(node, results[0][0], result, [all(z) for z in zeros], shapes)


def _applied(node: Apply, instead: dict[int, Variable]) -> Any:
    inputs = [instead.get(i, v) for i, v in enumerate(node.inputs)]
    return node.op.make_node(*inputs).outputs[0]


def _choice(
    node: Apply, c: Variable, results: list[Any], nothing: Sequence[bool], shapes: Any
) -> Any:
    """Return an ifelse of values, with plain zeros where ``nothing``; None if types differ."""
    out: Any = node.outputs[0]
    for k, zero in enumerate(nothing):
        if zero:
            lengths = shapes.shape(results[k])
            if any(_opaque(n, results[k]) for n in lengths):
                return None
            none = constant(0, dtype=out.type.dtype)
            results[k] = alloc(none, *lengths) if lengths else none
        if results[k].type != out.type:
            results[k] = patternbroadcast(results[k], out.type.broadcastable)
        if results[k].type != out.type:
            return None
    return IfElse(1)(c, *results)


def _opaque(length: Variable, v: Variable) -> bool:
    node = length.owner
    return node is not None and isinstance(node.op, Shape_i) and node.inputs[0] is v
