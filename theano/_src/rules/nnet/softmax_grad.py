"""Gradients of a softmax written as exp and sum, and of logarithms of its entries."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, owner_of
from theano._src.ops.elementwise.arithmetic import Add, Mul, Sub, fill, mul
from theano._src.ops.elementwise.explog import Exp
from theano._src.ops.index.advanced import AdvancedIncSubtensor
from theano._src.ops.nnet.crossentropy import (
    CrossentropySoftmax1Hot,
    CrossentropySoftmax1HotWithBiasDx,
)
from theano._src.ops.nnet.losses import (
    CrossentropyCategorical1HotGrad,
)
from theano._src.ops.nnet.softmax import Softmax, along
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.factoring import Factor, Product, alike, kind_of
from theano._src.rules.ratios import summed
from theano._src.rules.stability import divided_out

#: the most terms of a sum that a product is distributed over
MOST_TERMS = 4


def exp_times_shares(fgraph: Any, node: Apply) -> list[Any] | None:
    """exp(x) * (a / s + b / s) -> softmax(x) * a + softmax(x) * b, for s = sum(exp(x))

    These are gradients through a softmax written as exp and sum; a may be divided by it.
    """
    out = node.outputs[0]
    if out.type.numpy_dtype.kind != "f" or node.op.inplace_items:
        return None
    e = next((v for v in node.inputs if kind_of(v) is Exp), None)
    total = next((v for v in node.inputs if kind_of(v) in (Add, Sub)), None)
    if e is None or total is None or len(total._clients or ()) > 1:
        return None
    terms = owner_of(total).inputs
    if len(terms) > MOST_TERMS or e.type != out.type or total.type.dtype != out.type.dtype:
        return None
    others = [v for v in node.inputs if v is not e and v is not total]
    if len(others) != len(node.inputs) - 2:
        return None
    results = []
    for t in terms:
        p = Product(t)
        result = next(((f, a) for f in p.factors if f.power < 0 and (a := _axes_of(f, e))), None)
        if result is None:
            return None
        f, axes = result
        f.power += 1
        for v in (along(Softmax, owner_of(e).inputs[0], axes), *others):
            p.put(v, 1)
        piece = p.build(fgraph, out)
        if piece is None:
            return None
        results.append(piece)
    return [owner_of(total).op(*results)]


def same_softmax(node: Apply) -> list[Any] | None:
    """softmax(x), softmax(x) -> the first of them, so that divisions by it are recognized"""
    (x,) = node.inputs
    for user, _ in x._clients or ():
        if user is node:
            return None
        if user != "output" and user.op == node.op:
            return list(user.outputs)
    return None


def softmax_times_gradient(fgraph: Any, node: Apply) -> list[Any] | None:
    """sm * g -> h, where g is h / sm at some places, and g and h are 0 elsewhere"""
    sm = next((v for v in node.inputs if _is_softmax(v)), None)
    if sm is None or node.op.inplace_items:
        return None
    for g in node.inputs:
        at = g.owner
        if at is None or g.type != sm.type:
            continue
        if isinstance(at.op, CrossentropyCategorical1HotGrad) and at.inputs[1] is sm:
            h = CrossentropySoftmax1HotWithBiasDx()(at.inputs[0], fill(sm, _zero(sm)), at.inputs[2])
        elif isinstance(at.op, AdvancedIncSubtensor) and (result := divided_out(fgraph, g, sm, 0)):
            h = result[0]
        else:
            continue
        others = [v for v in node.inputs if v is not sm and v is not g]
        if len(others) == len(node.inputs) - 2:
            new = mul(h, *others) if others else h
            return [new] if new.type == node.outputs[0].type else None
    return None


def _is_softmax(v: Any) -> bool:
    node = v.owner
    if node is None:
        return False
    if isinstance(node.op, CrossentropySoftmax1Hot):
        return bool(v is node.outputs[1])
    return isinstance(node.op, Softmax)


def _zero(like: Any) -> Any:
    return np.asarray(0, like.type.dtype)


def _axes_of(f: Factor, e: Any) -> tuple[int, ...] | None:
    """Return the axes if a factor is ``e`` summed over them with dimensions kept; else None."""
    result = summed(f)
    if result is None:
        return None
    total, shuffle = result
    if shuffle is None:
        return None
    x, op = total.owner.inputs[0], total.owner.op
    if not alike(x, e) or total.type.dtype != e.type.dtype:
        return None
    axes = tuple(range(x.type.ndim)) if op.axis is None else op.axis
    left = iter(range(x.type.ndim))
    order = tuple("x" if i in axes else next(left) for i in range(x.type.ndim))
    same_dtype = e.owner.inputs[0].type.dtype == e.type.dtype
    return axes if axes and shuffle.new_order == order and same_dtype else None


_STABLE = "stabilize specialize"

# fmt: off
RULES = (
    FunctionRule(same_softmax, "same_softmax", _STABLE, [Softmax]),
    FunctionRule(exp_times_shares, "exp_times_shares", _STABLE, [Mul], depth=5),
    FunctionRule(softmax_times_gradient, "softmax_times_gradient", _STABLE, [Mul], depth=4),
)
# fmt: on
