"""Quotients of exponentials and sums of them: sigmoid and softmax, in formulas and gradients.

Gradients arrive as long products, ``g * exp(x) / (1 + exp(x))``, whose parts overflow though the
whole does not. Each product is split into factors with powers, and factors that form a bounded
function together are replaced by that function.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable, owner_of
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.activations import ScalarSigmoid, sigmoid
from theano._src.ops.elementwise.arithmetic import (
    Add,
    Inv,
    Mul,
    Neg,
    Sqr,
    Sub,
    TrueDiv,
    mul,
    sub,
)
from theano._src.ops.elementwise.explog import (
    Exp,
    Expm1,
    expm1,
)
from theano._src.ops.elementwise.special import Erfc, erfcx
from theano._src.ops.elementwise.trig import Cosh, Sinh, tanh
from theano._src.ops.elementwise.ufuncs import logaddexp
from theano._src.ops.index.advanced import AdvancedSubtensor
from theano._src.ops.index.subtensor import Subtensor
from theano._src.ops.nnet.softmax import Softmax, along
from theano._src.ops.reduce.careduce import Sum
from theano._src.rewrite.pattern import uniform_value
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.factoring import (
    MOST,
    Factor,
    Product,
    alike,
    before_spread,
    exponent_of,
    is_rounded,
    kind_of,
    negated,
)


def exponents(v: Any) -> list[Any] | None:
    """Return the exponents of a sum of exponentials: [None, x] for 1 + exp(x); else None."""
    total, spread = before_spread(v)
    if kind_of(total) is not Add or len(total.owner.inputs) > MOST:
        return None
    results: list[Any] = []
    for term in total.owner.inputs:
        if (x := exponent_of(term)) is not None:
            if x.type.dtype != term.type.dtype:
                return None
            results.append(x)
        elif uniform_value(term) == 1 and None not in results:
            results.append(None)
        else:
            return None
    return results if spread is None else [None if x is None else spread(x) for x in results]


def log_of_sum(args: list[Any]) -> Any:
    """Return log(sum(exp(a) for a in args)), where None stands for 0."""
    total: Any = args[0] if args[0] is not None else np.asarray(0, args[1].type.dtype)
    for a in args[1:]:
        total = logaddexp(total, np.asarray(0, total.type.dtype) if a is None else a)
    return total


def _inside(node: Apply) -> bool:
    """Whether the only user of a node is a product too, whose rule will consider both."""
    clients = node.outputs[0]._clients or ()
    if len(clients) != 1:
        return False
    user = next(iter(clients))[0]
    return (
        user != "output"
        and isinstance(user.op, Elemwise)
        and isinstance(user.op.scalar_op, (Mul, TrueDiv, Inv))
        and user.outputs[0].type.dtype == node.outputs[0].type.dtype
    )


def ratios(fgraph: Any, node: Apply) -> list[Any] | None:
    """g * exp(x) / (1 + exp(x)) -> g * sigmoid(x), and other factors that are bounded together

    Also ``exp(a) / (exp(a) + exp(b))``, ``exp(x) / sum(exp(x))`` with the sum over any axes,
    ``sum(c * exp(x)) / sum(exp(x))``, ``exp(-x) * sigmoid(x)``, ``exp(x) / expm1(x)``,
    ``exp(-x**2) / erfc(x)`` and ``sinh(x) / cosh(x)``.
    """
    out = node.outputs[0]
    if out.type.numpy_dtype.kind != "f" or node.op.inplace_items or _inside(node):
        return None
    p = Product(out)
    fired = False
    for f in list(p.factors):
        if f.v.owner is None:
            continue
        if f.power < 0:
            fired = _denominator(p, f) or fired
        elif f.power > 0 and f.shuffle is None and kind_of(f.v) is ScalarSigmoid:
            x = f.v.owner.inputs[0]
            if x.type.dtype == p.dtype and (n := _take_exp_of_negative(p, x, f.power)):
                f.power -= n
                p.put(sigmoid(negated(x)), n)
                fired = True
        elif f.power > 0 and f.shuffle is None and kind_of(f.v) is Add:
            fired = _undone(p, f) or fired
    if not fired:
        return None
    result = p.build(fgraph, out)
    return None if result is None else [result]


def _take_exp_of_negative(p: Product, x: Any, most: int) -> int:
    """Remove up to ``most`` factors exp(-x); return how many."""
    if kind_of(x) is Neg:
        return p.take(Exp, x.owner.inputs[0], most)
    for f in p.factors:
        if f.power > 0 and f.shuffle is None and kind_of(f.v) is Exp:
            arg = f.v.owner.inputs[0]
            if kind_of(arg) is Neg and alike(arg.owner.inputs[0], x):
                n = min(most, f.power)
                f.power -= n
                return n
    return 0


def _undone(p: Product, f: Factor) -> bool:
    """Cancel (1 + exp(x)) * sigmoid(-x), which is 1; return whether it occurs."""
    args = exponents(f.v)
    if args is None or len(args) != 2 or None not in args:
        return False
    x = args[0] if args[1] is None else args[1]
    n = p.take(ScalarSigmoid, negated(x), f.power)
    f.power -= n
    if n and f.power == 0:
        p.models.append(x)
    return bool(n)


def _denominator(p: Product, f: Factor) -> bool:
    """Combine a divisor with other factors; return whether that was possible."""
    v, power = f.v, -f.power
    if _is_share(v) or kind_of(v) is ScalarSigmoid:
        return _cancel(p, f)
    is_sum = kind_of(before_spread(v)[0]) is Add
    if isinstance(v.owner.op, (Sum, DimShuffle)) and not is_sum:
        return _softmax(p, f)
    if f.shuffle is not None:
        return False
    if is_sum:
        return _sum_of_exps(p, f, power)
    kind = kind_of(v)
    if kind not in (Expm1, Erfc, Cosh) or v.owner.inputs[0].type.dtype != p.dtype:
        return False
    x = v.owner.inputs[0]
    if kind is Expm1 and (n := p.take(Exp, x, power)):
        # exp(x) / expm1(x) is -1 / expm1(-x)
        f.power += n
        p.negative ^= n % 2 == 1
        p.put(expm1(negated(x)), -n)
        return True
    if kind is Cosh and (n := p.take(Sinh, x, power)):
        f.power += n
        p.put(tanh(x), n)
        return True
    if kind is Erfc:
        for other in p.factors:
            if other.power > 0 and other.shuffle is None and _is_gaussian(other.v, x):
                n = min(other.power, power)
                other.power -= n
                f.power += n
                p.put(erfcx(x), -n)
                return True
    return False


def _is_share(v: Any) -> bool:
    """Whether ``v`` is a softmax, or a part of one."""
    node = v.owner
    if isinstance(node.op, (AdvancedSubtensor, Subtensor)):
        node = node.inputs[0].owner
    return node is not None and isinstance(node.op, Softmax)


def _sum_of_exps(p: Product, f: Factor, power: int) -> bool:
    args = exponents(f.v)
    if args is None:
        return False
    if len(args) == 2 and None in args:
        x = args[0] if args[1] is None else args[1]
        if n := p.take(Exp, x, power):
            p.put(sigmoid(x), n)
        if power > n:
            p.put(sigmoid(negated(x)), power - n)
        f.power = 0
        return True
    fired = False
    for i, x in enumerate(args):
        if x is None or -f.power <= 0:
            continue
        if n := p.take(Exp, x, -f.power):
            rest = args[:i] + args[i + 1 :]
            if len(rest) == 1:
                share = sigmoid(sub(x, rest[0]))
            else:
                share = sigmoid(sub(x, log_of_sum(rest)))
            f.power += n
            p.put(share, n)
            fired = True
    return fired


def _is_gaussian(v: Any, x: Any) -> bool:
    """Whether v is exp(-x**2), however the square is written."""
    if kind_of(v) is not Exp:
        return False
    # the sign of the base does not matter
    minus, base = (Product(u, of_powers=True) for u in (v.owner.inputs[0], x))
    if not minus.negative or minus.models or base.models:
        return False
    left: list[Factor] = []
    for f in [*minus.factors, *(Factor(f.v, -2 * f.power, f.shuffle) for f in base.factors)]:
        same = next((g for g in left if g.equals(f)), None)
        if same is None:
            left.append(f)
        else:
            same.power += f.power
    return not any(f.power for f in left)


def _cancel(p: Product, f: Factor) -> bool:
    """Cancel a divisor, which is 0 only by underflow, with an equal factor, if there is one."""
    for g in p.factors:
        if g.power > 0 and f.equals(g):
            n = min(g.power, -f.power)
            g.power -= n
            f.power += n
            p.models.append(f.v)
            return True
    return False


def summed(f: Factor) -> tuple[Any, DimShuffle | None] | None:
    """Return the sum of a factor and the DimShuffle that restores its dimensions; else None."""
    total, shuffle = f.v, f.shuffle
    if total.owner is not None and isinstance(total.owner.op, DimShuffle) and shuffle is None:
        shuffle, total = total.owner.op, total.owner.inputs[0]
    if total.owner is None or not isinstance(total.owner.op, Sum):
        return None
    return total, shuffle


def _softmax(p: Product, f: Factor) -> bool:
    """exp(x) / sum(exp(x)) -> softmax(x), sum(c * exp(x)) / sum(exp(x)) -> sum(c * softmax(x))."""
    result = summed(f)
    if result is None:
        return False
    total, shuffle = result
    e, op = total.owner.inputs[0], total.owner.op
    if kind_of(e) is not Exp or e.type.dtype != total.type.dtype:
        return False
    x = e.owner.inputs[0]
    axes = tuple(range(x.type.ndim)) if op.axis is None else op.axis
    if x.type.dtype != p.dtype or not axes:
        return False
    left = iter(range(x.type.ndim))
    order = tuple("x" if i in axes else next(left) for i in range(x.type.ndim))
    if shuffle is not None and shuffle.new_order == order and (n := p.take(Exp, x, -f.power)):
        f.power += n
        p.put(along(Softmax, x, axes), n)
        return True
    for g in p.factors:
        weighted = summed(g) if g.power == 1 else None
        if weighted is None or weighted[1] != shuffle or weighted[0].owner.op != op:
            continue
        inner = weighted[0].owner.inputs[0]
        if kind_of(inner) is not Mul or inner.type != e.type:
            continue
        parts = inner.owner.inputs
        at = [i for i, v in enumerate(parts) if alike(v, e)]
        if at:
            shares = [along(Softmax, x, axes) if i == at[0] else v for i, v in enumerate(parts)]
            mean = op(mul(*shares))
            g.power = 0
            f.power += 1
            p.put(mean if shuffle is None else shuffle(mean), 1)
            return True
    return False


def distribute(fgraph: Any, node: Apply) -> list[Any] | None:
    """p * q * (a / p - b / q) -> a * q - b * p, where this cancels a division"""
    out = node.outputs[0]
    if out.type.numpy_dtype.kind != "f" or node.op.inplace_items or len(node.inputs) > MOST:
        return None
    for k, v in enumerate(node.inputs):
        if kind_of(v) not in (Add, Sub) or v.type.dtype != out.type.dtype:
            continue
        terms = owner_of(v).inputs
        if len(terms) > 4 or len(v._clients or ()) > 1:
            continue
        if not any(kind_of(t) in (Mul, TrueDiv, Neg) for t in terms):
            continue
        if len(terms) > 2 and sum(not is_rounded(t) for t in terms) > 1:
            continue  # exact terms are better summed before they are multiplied
        others = [x for i, x in enumerate(node.inputs) if i != k]
        if not any(_divided_by(t, x) for t in terms for x in others):
            continue
        if any(t.type.broadcastable != out.type.broadcastable for t in terms):
            continue
        results = []
        for t in terms:
            p = Product(t)
            for x in others:
                p.put(x, 1)
            piece = p.build(fgraph, out)
            if piece is None:
                return None
            results.append(piece)
        return [owner_of(v).op(*results)]
    return None


def _divided_by(term: Any, x: Variable) -> bool:
    return any(f.power < 0 and f.shuffle is None and alike(f.v, x) for f in Product(term).factors)


def _has_sigmoid(v: Any, depth: int = 2) -> bool:
    kind = kind_of(v)
    if kind in (Mul, Sqr, Neg, TrueDiv) and depth:
        return any(_has_sigmoid(x, depth - 1) for x in v.owner.inputs)
    return kind is ScalarSigmoid


def sigmoid_slope(fgraph: Any, node: Apply) -> list[Any] | None:
    """g - g * sigmoid(x) -> g * sigmoid(-x), for any product g"""
    out = node.outputs[0]
    if len(node.inputs) != 2 or out.type.numpy_dtype.kind != "f" or node.op.inplace_items:
        return None
    if not all(v.type == out.type and _has_sigmoid(v) for v in node.inputs):
        return None
    p, q = Product(node.inputs[0]), Product(node.inputs[1])
    if type(node.op.scalar_op) is Sub:
        q.negative = not q.negative
    if p.negative == q.negative:
        return None
    if p.negative:
        p, q = q, p
    for f in q.factors:
        if f.shuffle is None and f.power > 0 and kind_of(f.v) is ScalarSigmoid:
            x = f.v.owner.inputs[0]
            f.power -= 1
            if _same_factors(p, q) and x.type.dtype == p.dtype:
                p.put(sigmoid(negated(x)), 1)
                p.models += q.models
                result = p.build(fgraph, out)
                return None if result is None else [result]
            f.power += 1
    return None


def _same_factors(p: Product, q: Product) -> bool:
    rest = [f for f in q.factors if f.power]
    for f in p.factors:
        for g in rest:
            if f.power == g.power and f.equals(g):
                rest.remove(g)
                break
        else:
            return False
    return not rest


RULES = (
    FunctionRule(
        ratios,
        "bounded_ratio",
        "stabilize",
        [Mul, TrueDiv, Inv],
        tags=(
            "local_exp_over_1_plus_exp",
            "local_inv_1_plus_exp",
            "local_1_over_1_plus_exp",
            "local_sigm_times_exp",
            "local_grad_log_erfc_neg",
            "local_softmax",
            "softmax_simplifier",
        ),
        hazard="exp(x) / sum(exp(x)) with an infinite x is NaN in the whole row",
        depth=4,
    ),
    FunctionRule(
        distribute,
        "distribute_to_cancel",
        "canonicalize stabilize",
        [Mul],
        tags=("local_greedy_distributor",),
        hazard="where a factor that cancels is 0 or infinite, NaN becomes a number",
        depth=3,
    ),
    FunctionRule(
        sigmoid_slope,
        "sigmoid_slope",
        "stabilize",
        [Add, Sub],
        depth=4,
    ),
)
