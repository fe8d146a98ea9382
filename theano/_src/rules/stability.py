"""Replace formulas that overflow, underflow or lose digits by equivalent ones that do not.

Equations of exponentials and logarithms alone are in ``ops/elementwise/explog.py``, quotients of
exponentials in ``ratios.py``. This module has equations with other families, and logarithms of
sums and products.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, owner_of
from theano._src.ops.core.cast import cast
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.elementwise.activations import ScalarSigmoid, sigmoid, softplus
from theano._src.ops.elementwise.arithmetic import (
    Add,
    Mul,
    Pow,
    Second,
    Sqr,
    Sqrt,
    Sub,
    TrueDiv,
    abs_,
    add,
    mul,
    neg,
    sqr,
    sqrt,
    sub,
    true_div,
)
from theano._src.ops.elementwise.compare import ge, switch
from theano._src.ops.elementwise.explog import (
    Exp,
    Expm1,
    Log,
    Log1p,
    exp,
    expm1,
    log,
    log1p,
)
from theano._src.ops.elementwise.log_special import log1mexp, log_cosh, log_erfc, log_expm1
from theano._src.ops.elementwise.special import Erfc, erf, erfc
from theano._src.ops.elementwise.trig import arcsinh, arctanh, cos, cosh, sin, sinh, tanh
from theano._src.ops.elementwise.ufuncs import hypot
from theano._src.ops.index.advanced import AdvancedIncSubtensor, AdvancedSubtensor
from theano._src.ops.index.subtensor import IncSubtensor, Subtensor
from theano._src.ops.index.subtensor1 import AdvancedIncSubtensor1, AdvancedSubtensor1
from theano._src.ops.nnet.softmax import LogSoftmax, LogSumExp, Softmax, SoftmaxGrad
from theano._src.ops.reduce.careduce import Sum, sum as sum_
from theano._src.ops.shape.alloc import Alloc
from theano._src.ops.shape.check_lengths import CheckLengths
from theano._src.rewrite.pattern import Hole, uniform_value
from theano._src.rewrite.rule import FunctionRule, Rule
from theano._src.rules.factoring import Factor, Product, kind_of
from theano._src.rules.ratios import exponents, log_of_sum


def _floats(node: Apply) -> bool:
    """Whether the first input and the output of a node are floats of one dtype."""
    out = node.outputs[0].type
    return bool(out.numpy_dtype.kind == "f") and node.inputs[0].type.dtype == out.dtype


def log_sum(node: Apply) -> list[Any] | None:
    """log(1 + a + b) -> log1p(a + b), and log(exp(a) + exp(b)) -> logaddexp(a, b)"""
    if not _floats(node):
        return None
    v = node.inputs[0]
    kind = kind_of(v)
    if kind is Sub:
        left, right = owner_of(v).inputs
        if uniform_value(left) == 1:
            return _same_type(node, log1p(neg(right)))
        rest = _without_one(left)
        return None if rest is None else _same_type(node, log1p(sub(rest, right)))
    if kind is not Add:
        return None
    args = exponents(v)
    if args is not None:
        return _same_type(node, _log_of_exps(args))
    rest = _without_one(v)
    return None if rest is None else _same_type(node, log1p(rest))


def log1p_sum(node: Apply) -> list[Any] | None:
    """log1p(exp(a) + exp(b)) -> logaddexp(logaddexp(0, a), b)"""
    if not _floats(node):
        return None
    args = exponents(node.inputs[0])
    if args is None or None in args:
        return None
    return _same_type(node, log_of_sum([None, *args]))


def _log_of_exps(args: list[Any]) -> Any:
    if len(args) == 2 and None in args:
        return softplus(args[0] if args[1] is None else args[1])
    return log_of_sum(args)


def _without_one(v: Any) -> Any:
    """Return ``a + b`` for ``1 + a + b``; None if there is no term 1."""
    if kind_of(v) is not Add:
        return None
    terms = v.owner.inputs
    for i, t in enumerate(terms):
        if uniform_value(t) == 1:
            rest = [*terms[:i], *terms[i + 1 :]]
            return rest[0] if len(rest) == 1 else add(*rest)
    return None


def _same_type(node: Apply, new: Any) -> list[Any] | None:
    return [new] if new.type == node.outputs[0].type else None


def _stable_log(f: Factor) -> Any:
    """Return the logarithm of a factor if it is known without computing the factor, or None."""
    v = f.v
    if v.owner is None:
        return None
    x = v.owner.inputs[0]
    if x.type.dtype != v.type.dtype:
        return None
    kind = kind_of(v)
    log = None
    if kind is Exp:
        log = x
    elif kind is ScalarSigmoid:
        log = neg(softplus(neg(x)))
    elif kind is Erfc:
        log = log_erfc(x)
    elif isinstance(v.owner.op, (Softmax, *_PARTS[:3])):
        log = _log_of(v)
    elif isinstance(v.owner.op, Sum) and kind_of(x) is Exp and v.owner.inputs[0].owner is not None:
        inner = x.owner.inputs[0]
        if inner.type.dtype == v.type.dtype:
            log = LogSumExp(v.owner.op.axis)(inner)
    elif isinstance(v.owner.op, DimShuffle) and f.shuffle is None:
        below = _stable_log(Factor(x, 1))
        return None if below is None else v.owner.op(below)
    if log is None or f.shuffle is None:
        return log
    return f.shuffle(log)


def log_product(fgraph: Any, node: Apply) -> list[Any] | None:
    """log(c * exp(x) / sigmoid(y)) -> log(c) + x + softplus(-y)"""
    if not _floats(node) or kind_of(node.inputs[0]) not in (Mul, TrueDiv):
        return None
    out, v = node.outputs[0], node.inputs[0]
    p = Product(v)
    known: list[Any] = []
    for f in p.factors:
        if f.power and (result := _stable_log(f)) is not None:
            known.append(
                result if f.power == 1 else mul(np.asarray(f.power, out.type.dtype), result)
            )
            f.power = 0
            p.models.append(f.v if f.shuffle is None else f.shuffle(f.v))
    if not known:
        return None
    if any(f.power for f in p.factors) or p.negative:
        # the rest may be smaller than the product: the sum below broadcasts it
        p.models = []
        rest = p.build(fgraph)
        if rest is None:
            return None
        known.append(log(rest))
    total = known[0] if len(known) == 1 else add(*known)
    return _same_type(node, total)


def log_power(node: Apply) -> list[Any] | None:
    """log(x**n) -> n * log(abs(x)) for even n, n * log(x) for others; n is a constant"""
    if not _floats(node):
        return None
    v = node.inputs[0]
    kind = kind_of(v)
    if kind not in (Pow, Sqr, Sqrt):
        return None
    x, *rest = owner_of(v).inputs
    n = uniform_value(rest[0]) if kind is Pow else 2 if kind is Sqr else 0.5
    if n is None or n == 0 or not np.isfinite(n) or x.type.dtype != v.type.dtype:
        return None
    base = abs_(x) if float(n) % 2 == 0 else x
    return _same_type(node, mul(np.asarray(n, v.type.dtype), log(base)))


def log_sum_exp(node: Apply) -> list[Any] | None:
    """log(sum(exp(x))) -> max(x) + log(sum(exp(x - max(x)))), over any axes"""
    if not _floats(node):
        return None
    v = node.inputs[0]
    shuffle = None
    if v.owner is not None and isinstance(v.owner.op, DimShuffle):
        shuffle, v = v.owner.op, v.owner.inputs[0]
    if v.owner is None or not isinstance(v.owner.op, Sum) or kind_of(v.owner.inputs[0]) is not Exp:
        return None
    x = owner_of(v.owner.inputs[0]).inputs[0]
    if x.type.dtype != v.type.dtype:
        return None
    result = LogSumExp(v.owner.op.axis)(x)
    return _same_type(node, result if shuffle is None else shuffle(result))


_PARTS = (Subtensor, AdvancedSubtensor, AdvancedSubtensor1, DimShuffle)


def log_softmax(node: Apply) -> list[Any] | None:
    """log(softmax(x)) -> logsoftmax(x), and log(softmax(x)[i]) -> logsoftmax(x)[i]"""
    v = node.inputs[0]
    log = None if v.owner is None else _log_of(v)
    return None if log is None else _same_type(node, log)


def _log_of(v: Any) -> Any:
    """Return log(v) if ``v`` is a softmax or a part of one; else None."""
    node = v.owner
    if isinstance(node.op, Softmax):
        return LogSoftmax(node.op.axis)(node.inputs[0])
    whole = node.inputs[0].owner if isinstance(node.op, _PARTS) else None
    if whole is None or not isinstance(whole.op, Softmax):
        return None
    return node.op(_log_of(node.inputs[0]), *node.inputs[1:])


def log_softmax_gradient(fgraph: Any, node: Apply) -> list[Any] | None:
    """softmax_grad(g / sm, sm) -> g - sum(g) * sm: no division by a softmax that may be 0"""
    dy, sm = node.inputs
    result = divided_out(fgraph, dy, sm, 2)
    if result is None:
        return None
    h, rest = result
    new = sub(h, mul(sum_(h, node.op.axes(sm.type.ndim), keepdims=True), sm))
    if rest is not None:
        new = add(new, node.op(cast(rest, dy.type.dtype), sm))  # rest may be of integers
    return _same_type(node, new)


def divided_out(fgraph: Any, dy: Any, sm: Any, depth: int) -> tuple[Any, Any] | None:
    """Return ``h`` and ``rest`` such that dy = h / sm + rest; None if there is no such h."""
    if kind_of(dy) is Add and depth:
        parts = [(divided_out(fgraph, t, sm, depth - 1), t) for t in dy.owner.inputs]
        if all(p is None for p, _ in parts):
            return None
        hs = [p[0] for p, _ in parts if p is not None]
        others = [t for p, t in parts if p is None]
        others += [p[1] for p, _ in parts if p is not None and p[1] is not None]
        return _total(hs), _total(others)
    node = dy.owner
    if node is None:
        return None
    if isinstance(node.op, (AdvancedIncSubtensor, AdvancedIncSubtensor1, IncSubtensor)):
        zeros, y, *index = node.inputs
        # increments of an element indexed twice add up; when set, the last value would win
        once = isinstance(node.op, IncSubtensor) or not node.op.set_instead_of_inc
        if not once or not is_zero(zeros):
            return None
        at = getattr(node.op, "idx_list", None)
        only_row = sm.type.broadcastable[:-1] == (True,) and at is not None and len(at) == 1
        h = _times(
            fgraph,
            y,
            lambda v: _is_part_of(v, sm, index, at) or (only_row and _is_row_of(v, sm)),
        )
        return None if h is None else (node.op(zeros, h, *index), None)
    h = _times(fgraph, dy, lambda v: v is sm)
    return None if h is None else (h, None)


def _total(terms: list[Any]) -> Any:
    return None if not terms else terms[0] if len(terms) == 1 else add(*terms)


def _times(fgraph: Any, v: Any, is_divisor: Any) -> Any:
    """Return ``v`` times a divisor of it that ``is_divisor`` accepts; None if there is none."""
    if v.type.numpy_dtype.kind != "f":
        return None
    if v.owner is not None and isinstance(v.owner.op, CheckLengths):
        inner = _times(fgraph, v.owner.inputs[0], is_divisor)
        return None if inner is None else v.owner.op(inner, *v.owner.inputs[1:])
    p = Product(v)
    for f in p.factors:
        if f.power < 0 and f.shuffle is None and is_divisor(f.v):
            f.power += 1
            if f.power == 0:
                p.models.append(f.v)
            return p.build(fgraph, v)
    return None


def _is_part_of(v: Any, whole: Any, index: list[Any], at: Any) -> bool:
    """Whether ``v`` is ``whole[index]``, where ``at`` is the index structure that the op holds."""
    node = v.owner
    return (
        node is not None
        and isinstance(node.op, _PARTS[:3])
        and node.inputs[0] is whole
        and getattr(node.op, "idx_list", None) == at
        and len(node.inputs) == len(index) + 1
        and all(a is b for a, b in zip(node.inputs[1:], index, strict=True))
    )


def _is_row_of(v: Any, whole: Any) -> bool:
    """Whether ``v`` is ``whole``, a matrix of one row, as a vector."""
    node = v.owner
    return (
        node is not None
        and isinstance(node.op, DimShuffle)
        and node.op.new_order == (1,)
        and node.inputs[0] is whole
    )


def is_zero(v: Any) -> bool:
    """Whether every element is a copy of the constant 0."""
    for _ in range(4):
        value = uniform_value(v)
        if value is not None or v.owner is None:
            return bool(value == 0)
        if not isinstance(v.owner.op, Alloc) and kind_of(v) is not Second:
            return False
        v = v.owner.inputs[0 if isinstance(v.owner.op, Alloc) else 1]
    return False


def exp_of_log(node: Apply) -> list[Any] | None:
    """exp(log(x)) -> x where x >= 0, NaN elsewhere; likewise for expm1 and log1p"""
    if not _floats(node):
        return None
    v = node.inputs[0]
    kind = kind_of(v)
    if kind not in (Log, Log1p) or (x := owner_of(v).inputs[0]).type.dtype != v.type.dtype:
        return None
    if type(node.op.scalar_op) is Exp:
        result = x if kind is Log else add(1, x)
    else:
        result = x if kind is Log1p else sub(x, 1)
    edge = 0 if kind is Log else -1
    return _same_type(node, switch(ge(x, edge), result, np.asarray(np.nan, v.type.dtype)))


def exp_of_log_softmax(node: Apply) -> list[Any] | None:
    """exp(logsoftmax(x)) -> softmax(x)"""
    v = node.inputs[0]
    if v.owner is None or not isinstance(v.owner.op, LogSoftmax):
        return None
    return _same_type(node, Softmax(v.owner.op.axis)(v.owner.inputs[0]))


x, y = Hole("x", kind="f"), Hole("y", kind="f")
_STABLE = "stabilize specialize"
_EARLY = "canonicalize stabilize specialize"
_UNIT = {"x": (-0.9, 0.9)}

# fmt: off
RULES = (
    Rule("one_minus_erf",    _EARLY,  sub(1, erf(x)),       erfc(x),
         tags=("local_one_minus_erf", "local_one_minus_erf2", "local_one_plus_neg_erf"), ulp=8),
    Rule("one_plus_erf",     _EARLY,  add(1, erf(x)),       erfc(neg(x)),
         tags=("local_one_plus_erf",), ulp=8),
    Rule("erf_minus_one",    _EARLY,  add(-1, erf(x)),      neg(erfc(x)),
         tags=("local_erf_minus_one",), ulp=8),
    Rule("erf_less_one",     _EARLY,  sub(erf(x), 1),       neg(erfc(x)), ulp=8),
    Rule("one_minus_erfc",   _EARLY,  sub(1, erfc(x)),      erf(x),
         tags=("local_one_minus_erfc", "local_one_minus_erfc2", "local_one_minus_erfc3",
               "local_one_add_neg_erfc"), ulp=7),
    Rule("erfc_neg_minus_one", _EARLY, add(-1, erfc(neg(x))), erf(x),
         tags=("local_erf_neg_minus_one", "local_erf_neg_minus_one2"), ulp=7),
    Rule("erfc_minus_one",   _EARLY,  add(-1, erfc(x)),     neg(erf(x)), ulp=7),
    Rule("log_erfc",         _STABLE, log(erfc(x)),         log_erfc(x), tags=("local_log_erfc",),
         ulp=4),
    Rule("log_one_minus_exp", _STABLE, log(sub(1, exp(x))), log1mexp(x), example={"x": (-5, -0.1)},
         ulp=6),
    Rule("log_neg_expm1",    _STABLE, log(neg(expm1(x))),   log1mexp(x), example={"x": (-5, -0.1)},
         ulp=4),
    Rule("log1p_neg_exp",    _STABLE, log1p(neg(exp(x))),   log1mexp(x), example={"x": (-5, -0.1)},
         ulp=6),
    Rule("log_expm1",        _STABLE, log(expm1(x)),        log_expm1(x), example={"x": (0.1, 5)}),
    Rule("log_cosh",         _STABLE, log(cosh(x)),         log_cosh(x), ulp=4),
    Rule("log_ratio_to_arctanh", _EARLY, log(true_div(add(1, x), sub(1, x))), mul(2, arctanh(x)),
         example=_UNIT, ulp=3),
    Rule("log_to_arcsinh",   _STABLE, log(add(x, sqrt(add(1, sqr(x))))), arcsinh(x), ulp=3),
    Rule("tanh_form",        _EARLY,
         true_div(sub(exp(x), exp(neg(x))), add(exp(x), exp(neg(x)))), tanh(x), ulp=5),
    Rule("sinh_form",        _EARLY,  mul(0.5, sub(exp(x), exp(neg(x)))), sinh(x), ulp=6),
    Rule("sinh_div_form",    _EARLY,  true_div(sub(exp(x), exp(neg(x))), 2), sinh(x), ulp=6),
    Rule("cosh_form",        _EARLY,  mul(0.5, add(exp(x), exp(neg(x)))), cosh(x), ulp=4),
    Rule("cosh_div_form",    _EARLY,  true_div(add(exp(x), exp(neg(x))), 2), cosh(x), ulp=4),
    Rule("tanh_expm1_form",  _EARLY,  true_div(expm1(x), add(1, exp(x))), tanh(mul(0.5, x)), ulp=5),
    Rule("tanh_exp_form",    _EARLY,  true_div(add(-1, exp(x)), add(1, exp(x))), tanh(mul(0.5, x)),
         ulp=5),
    Rule("tanh_neg_form",    _EARLY,  true_div(sub(1, exp(x)), add(1, exp(x))),
         tanh(mul(-0.5, x)), ulp=5),
    Rule("tanh_neg_expm1_form", _EARLY, true_div(neg(expm1(x)), add(1, exp(x))),
         tanh(mul(-0.5, x)), ulp=5),
    Rule("sigmoid_to_tanh",  _STABLE, add(-1, mul(2, sigmoid(x))), tanh(mul(0.5, x)), ulp=5),
    Rule("one_minus_cos",    _STABLE, sub(1, cos(x)),       mul(2, sqr(sin(mul(0.5, x)))), ulp=4),
    Rule("cos_minus_one",    _STABLE, add(-1, cos(x)),      mul(-2, sqr(sin(mul(0.5, x)))), ulp=4),
    Rule("sqrt_one_plus_less_one", _STABLE, add(-1, sqrt(add(1, x))),
         true_div(x, add(1, sqrt(add(1, x)))), example={"x": (-0.9, 9)},
         hazard="for infinite x the result is NaN, not infinite"),
    Rule("hypot_form",       "specialize", sqrt(add(sqr(x), sqr(y))), hypot(x, y),
         hazard="infinite where one is infinite and the other NaN, as in C"),
    Rule("over_own_sqrt",    _STABLE, true_div(x, sqrt(x)), sqrt(x), example={"x": (0.1, 9)},
         hazard="0, not NaN, where x is 0; infinite, not NaN, where x is"),
    FunctionRule(log_softmax, "log_softmax", _STABLE, [Log], depth=3,
                 tags=("local_log_softmax", "local_logsoftmax",
                       "local_advanced_indexing_crossentropy_onehot")),
    FunctionRule(log_softmax_gradient, "log_softmax_gradient", _STABLE, [SoftmaxGrad], depth=4,
                 tags=("local_logsoftmax_grad",
                       "local_advanced_indexing_crossentropy_onehot_grad")),
    FunctionRule(exp_of_log_softmax, "exp_of_log_softmax", _STABLE, [Exp]),
    FunctionRule(log_sum_exp, "log_sum_exp", _STABLE, [Log], depth=4,
                 tags=("local_log_sum_exp",)),
    FunctionRule(log_sum, "log_of_sum", _STABLE, [Log], depth=3,
                 tags=("local_log1p", "local_log_add", "local_log_add_exp"),
                 hazard="log(exp(a) + exp(b)) with an infinite a or b is its limit, not NaN"),
    FunctionRule(log1p_sum, "log1p_of_exps", _STABLE, [Log1p], depth=3),
    FunctionRule(log_product, "log_of_product", _STABLE, [Log], depth=4),
    FunctionRule(log_power, "log_of_power", _STABLE, [Log]),
    FunctionRule(exp_of_log, "exp_of_log", _STABLE, [Exp, Expm1]),
)
# fmt: on
