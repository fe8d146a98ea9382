"""Rules for switch: remove settled ones, move zero branches out of products."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from theano._src.graph.graph import Apply, Owned, owner_of
from theano._src.ops.core.cast import cast
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import (
    Add,
    IntDiv,
    Maximum,
    Minimum,
    Mul,
    Sub,
    TrueDiv,
    mul,
)
from theano._src.ops.elementwise.compare import LE, LT, Switch, switch
from theano._src.ops.shape.shape import Shape_i
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.fills import filled
from theano._src.rules.useless import number_of
from theano._src.types.convert import constant


def _is_switch(v: Any) -> TypeGuard[Owned]:
    node = v.owner
    return (
        node is not None
        and isinstance(node.op, Elemwise)
        and type(node.op.scalar_op) is Switch
        and not node.op.inplace_items
    )


def _chosen(fgraph: Any, node: Apply, branch: Any) -> list[Any] | None:
    """Return a branch in place of a switch, broadcast to the shape of all of its inputs."""
    out: Any = node.outputs[0]
    others = [v for v in node.inputs if v is not branch]
    new = filled(fgraph, cast(branch, out.type.dtype), others, out)
    return [new] if new.type == out.type else None


def switch_settled(fgraph: Any, node: Apply) -> list[Any] | None:
    """switch(1, a, b) -> a; switch(0, a, b) -> b; switch(c, a, a) -> a"""
    if node.op.inplace_items:
        return None
    c, a, b = node.inputs
    if a is b:
        return _chosen(fgraph, node, a)
    n = number_of(c)
    if n is not None:
        return _chosen(fgraph, node, b if n == 0 else a)
    return None


def switch_of_length(node: Apply) -> list[Any] | None:
    """switch(shape[i] <= 0, 0, shape[i]) -> shape[i]"""
    c, a, b = node.inputs
    test = c.owner
    if test is None or number_of(a) != 0 or b.type != node.outputs[0].type:
        return None
    if not isinstance(test.op, Elemwise) or type(test.op.scalar_op) not in (LE, LT):
        return None
    if test.inputs[0] is not b or number_of(test.inputs[1]) != 0:
        return None
    return [b] if b.owner is not None and isinstance(b.owner.op, Shape_i) else None


def switch_again(fgraph: Any, node: Apply) -> list[Any] | None:
    """switch(c, switch(c, a, b), d) -> switch(c, a, d)"""
    if node.op.inplace_items:
        return None
    c, a, b = node.inputs
    branches: list[Any] = [a, b]
    for k, v in enumerate((a, b)):
        if _is_switch(v) and v.owner.inputs[0] is c and v.type == node.outputs[0].type:
            left = v.owner.inputs[2 - k]
            kept = v.owner.inputs[1 + k]
            if all(left.type.broadcastable) and kept.type.dtype == v.type.dtype:
                branches[k] = kept
    if branches == [a, b]:
        return None
    new = node.op(c, *branches)
    return [new] if new.type == node.outputs[0].type else None


def _with_zero(node: Apply, v: Any, inside: Any) -> list[Any] | None:
    """Return switch(c, 0, inside(b)) for v = switch(c, 0, b), likewise for the other side."""
    out: Any = node.outputs[0]
    c, a, b = v.owner.inputs
    for k, (zero, other) in enumerate(((a, b), (b, a))):
        if number_of(zero) != 0:
            continue
        new = inside(cast(other, v.type.dtype))
        if new.type.dtype != out.type.dtype:
            return None
        nothing = constant(np.zeros((1,) * out.type.ndim, out.type.dtype))
        result = switch(c, nothing, new) if k == 0 else switch(c, new, nothing)
        return [result] if result.type == out.type else None
    return None


def product_with_switch(node: Apply) -> list[Any] | None:
    """x * switch(c, a, 0) -> switch(c, x * a, 0)"""
    if node.op.inplace_items or len(node.inputs) < 2:
        return None
    for i, v in enumerate(node.inputs):
        if _is_switch(v):
            rest = node.inputs[:i] + node.inputs[i + 1 :]
            results = _with_zero(node, v, lambda a, rest=rest: mul(*rest, a))
            if results is not None:
                return results
    return None


def quotient_of_switch(node: Apply) -> list[Any] | None:
    """switch(c, a, 0) / x -> switch(c, a / x, 0)"""
    v, x = node.inputs
    if node.op.inplace_items or not _is_switch(v):
        return None
    return _with_zero(node, v, lambda a: node.op(a, x))


def switches_merged(node: Apply) -> list[Any] | None:
    """switch(c, a, b) + switch(c, x, y) -> switch(c, a + x, b + y)"""
    if node.op.inplace_items or len(node.inputs) < 2 or not all(map(_is_switch, node.inputs)):
        return None
    c = owner_of(node.inputs[0]).inputs[0]
    branches: tuple[list[Any], list[Any]] = ([], [])
    for v in node.inputs:
        condition, a, b = owner_of(v).inputs
        if condition is not c or len(v._clients or ()) > 1:
            return None
        for side, part in zip(branches, (a, b), strict=True):
            dtype = v.type.dtype
            if part.type.dtype != dtype and number_of(part) is None:
                return None  # a narrower sum might wrap
            side.append(cast(part, dtype))
    new = switch(c, node.op(*branches[0]), node.op(*branches[1]))
    return [new] if new.type == node.outputs[0].type else None


_ZERO = "0 where the branch is 0, also where the other factor is infinite or NaN"

# fmt: off
RULES = (
    FunctionRule(switch_settled, "switch_settled", "canonicalize specialize", [Switch], depth=1,
                 tags=("local_useless_switch", "local_remove_switch_const_cond", "local_useless",
                       "fast_compile")),
    FunctionRule(switch_of_length, "switch_of_length", "canonicalize specialize", [Switch],
                 tags=("local_useless_switch",)),
    FunctionRule(switch_again, "switch_again", "canonicalize specialize", [Switch],
                 tags=("local_useless_switch",)),
    FunctionRule(product_with_switch, "product_with_switch", "canonicalize specialize", [Mul],
                 tags=("local_mul_switch_sink",), hazard=_ZERO),
    FunctionRule(quotient_of_switch, "quotient_of_switch", "canonicalize", [TrueDiv, IntDiv],
                 tags=("local_div_switch_sink",), hazard=_ZERO),
    FunctionRule(switches_merged, "switches_merged", "canonicalize",
                 [Add, Mul, Sub, TrueDiv, Maximum, Minimum],
                 tags=("local_merge_switch_same_cond",)),
)
# fmt: on
