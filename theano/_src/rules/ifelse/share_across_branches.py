"""Share computations between ifelse nodes with the same condition."""

from __future__ import annotations

from typing import Any

from theano._src.control.ifelse import IfElse
from theano._src.control.lazy_branches import Regions, Use
from theano._src.graph.graph import Apply, Variable
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.shape.alloc import alloc
from theano._src.ops.shape.dims import patternbroadcast
from theano._src.ops.shape.shape import Shape_i
from theano._src.rewrite.driver import inherit
from theano._src.rewrite.log import RewriteTrace
from theano._src.types.convert import constant
from theano._src.types.tensor import TensorType


def hand_over(fgraph: Any, trace: RewriteTrace | None = None) -> int:
    """ifelse(c, f(g(x)), b), ifelse(c, h(g(x)), d) -> v, w = ifelse(c, [f(g(x)), g(x)], [b, 0]),
    ifelse(c, h(w), d), where the second depends on the first, so that they cannot be merged.

    This occurs with a branch and its gradient: the backward pass needs values of the forward pass.
    """
    shapes = getattr(fgraph, "shape_feature", None)
    order = fgraph.toposort()
    if shapes is None or sum(type(node.op) is IfElse for node in order) < 2:
        return 0
    at = {node: k for k, node in enumerate(order)}

    def can_hand(node: Apply) -> bool:
        return not any(_is_cheap(v) or _nothing_like(v, shapes) is None for v in node.outputs)

    regions = Regions(order, fgraph.outputs, can_hand)
    result: dict[Apply, dict[Variable, tuple[int, list[Use]]]] = {}
    for first, later in regions.handed:
        assert first.node is not None
        given = result.setdefault(first.node, {})
        for use in later:
            given.setdefault(use.v, (first.side, []))[1].append(use)
    count = 0
    for node in sorted(result, key=at.__getitem__):
        wanted = [(v, side, later) for v, (side, later) in result[node].items()]
        count += _give(fgraph, node, wanted, shapes)
    return count


def _is_cheap(v: Variable) -> bool:
    node = v.owner
    assert node is not None
    if not isinstance(v.type, TensorType) or isinstance(node.op, Shape_i):
        return True
    return isinstance(node.op, DimShuffle) and node.inputs[0].owner is None


def _give(
    fgraph: Any, node: Apply, wanted: list[tuple[Variable, int, list[Use]]], shapes: Any
) -> int:
    """Add outputs to an ifelse for values that later nodes need; return how many are replaced."""
    n = node.op.n_outs
    sides = [list(node.inputs[1 : 1 + n]), list(node.inputs[1 + n :])]
    where: list[tuple[int, list[Use]]] = []
    for v, side, later in wanted:
        index = next((j for j, u in enumerate(sides[side]) if u is v), None)
        if index is None:
            dummy = _nothing_like(v, shapes)
            if dummy is None:
                continue
            index = len(sides[0])
            sides[side].append(v)
            sides[1 - side].append(dummy)
        where.append((index, later))
    new = node
    if len(sides[0]) > n:
        op = IfElse(len(sides[0]), node.op.as_view, name=node.op.name)
        new = op.make_node(node.inputs[0], *sides[0], *sides[1])
        new.trace = None
        inherit(new, node)
    moves = [
        (reader, i, new.outputs[index])
        for index, later in where
        for reader, i, v, _ in later
        if reader is not None and reader in fgraph.apply_nodes and reader.inputs[i] is v
    ]
    for reader, i, value in moves:
        fgraph.change_input(reader, i, value, reason="hand_over")
    if new is not node and moves:
        for old, value in zip(node.outputs, new.outputs, strict=False):
            fgraph.replace(old, value, reason="hand_over")
    return len(moves)


def _nothing_like(v: Any, shapes: Any) -> Any:
    """Return zeros in the shape of ``v``, for the branch without it; None if that is unknown."""
    lengths = shapes.shape(v)
    if any(_hangs_on_values(n) for n in lengths):
        return None
    zero = constant(0, dtype=v.type.dtype)
    result = alloc(zero, *lengths) if lengths else zero
    if result.type != v.type:
        result = patternbroadcast(result, v.type.broadcastable)
    return result if result.type == v.type else None


def _hangs_on_values(length: Variable) -> bool:
    """Whether a length depends on a computed array."""
    stack, seen = [length], {length}
    while stack:
        node = stack.pop().owner
        if node is None:
            continue
        if isinstance(node.op, Shape_i):
            if node.inputs[0].owner is not None:
                return True
            continue
        new = [v for v in node.inputs if v not in seen]
        seen.update(new)
        stack.extend(new)
    return False
