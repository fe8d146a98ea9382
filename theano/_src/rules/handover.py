"""What several choices by one condition need on the same side is computed in the first of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.control.branches import Region, Regions, Use
from theano._src.control.ifelse import IfElse
from theano._src.graph.node import Apply
from theano._src.graph.variable import Variable
from theano._src.ops.alloc import alloc
from theano._src.ops.dims import patternbroadcast
from theano._src.ops.elemwise import DimShuffle
from theano._src.ops.shape import Shape_i
from theano._src.rewrite.driver import inherit
from theano._src.rewrite.trace import RewriteTrace
from theano._src.types.convert import constant
from theano._src.types.tensor import TensorType


def hand_over(fgraph: Any, trace: RewriteTrace | None = None) -> int:
    """ifelse(c, f(g(x)), b), ifelse(c, h(g(x)), d) -> v, w = ifelse(c, [f(g(x)), g(x)], [b, 0]),
    ifelse(c, h(w), d), where the second needs the first and they cannot be one.

    So it is with a branch and its gradient: the way back needs what the way there has computed.
    """
    shapes = getattr(fgraph, "shape_feature", None)
    order = fgraph.toposort()
    if shapes is None or sum(type(node.op) is IfElse for node in order) < 2:
        return 0
    at = {node: k for k, node in enumerate(order)}
    regions = Regions(order, fgraph.outputs)
    found: dict[Apply, list[tuple[Variable, int, list[Use]]]] = {}
    for v, uses in _uses(fgraph, regions).items():
        heads = _heads(regions.of[v.owner], uses)
        if heads is None or _is_cheap(v):
            continue
        first = min(heads, key=lambda head: at[head.node])  # type: ignore[index]
        later = [use for use, head in zip(uses, heads, strict=True) if head is not first]
        assert first.node is not None
        if later:
            found.setdefault(first.node, []).append((v, first.side, later))
    count = 0
    for node in sorted(found, key=at.__getitem__):
        count += _give(fgraph, node, found[node], shapes)
    return count


def _uses(fgraph: Any, regions: Regions) -> dict[Variable, list[Use]]:
    uses: dict[Variable, list[Use]] = {}
    for node in regions.of:
        for use in regions.uses(node):
            if use.v.owner is not None:
                uses.setdefault(use.v, []).append(use)
    for i, v in enumerate(fgraph.outputs):
        if v in uses:
            uses[v].append(Use(None, i, v, regions.whole))
    return uses


def _heads(home: Region, uses: Sequence[Use]) -> list[Region] | None:
    """For each use the side of a choice in ``home`` it is in; None unless all agree."""
    heads: list[Region] = []
    for use in uses:
        where: Any = use.where
        while where is not None and where.parent is not home:
            where = where.parent
        if where is None:
            return None
        heads.append(where)
    kinds = {(head.node.inputs[0], head.side) for head in heads}  # type: ignore[union-attr]
    return heads if len(kinds) == 1 else None


def _is_cheap(v: Variable) -> bool:
    node = v.owner
    assert node is not None
    if not isinstance(v.type, TensorType) or isinstance(node.op, Shape_i):
        return True
    return isinstance(node.op, DimShuffle) and node.inputs[0].owner is None


def _give(
    fgraph: Any, node: Apply, wanted: list[tuple[Variable, int, list[Use]]], shapes: Any
) -> int:
    """Let a choice give more values, for those who need them later."""
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
        (use, new.outputs[index])
        for index, later in where
        for use in later
        if use.node in fgraph.apply_nodes and use.node.inputs[use.i] is use.v
    ]
    for use, value in moves:
        fgraph.change_input(use.node, use.i, value, reason="hand_over")
    if new is not node and moves:
        for old, value in zip(node.outputs, new.outputs, strict=False):
            fgraph.replace(old, value, reason="hand_over")
    return len(moves)


def _nothing_like(v: Any, shapes: Any) -> Any:
    """Zeros as long as ``v``, for the side that does not compute it; None if that is not known."""
    lengths = shapes.shape(v)
    if any(_hangs_on_values(n) for n in lengths):
        return None
    zero = constant(0, dtype=v.type.dtype)
    made = alloc(zero, *lengths) if lengths else zero
    if made.type != v.type:
        made = patternbroadcast(made, v.type.broadcastable)
    return made if made.type == v.type else None


def _hangs_on_values(length: Variable) -> bool:
    """Whether a length is only known of something that is computed."""
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
