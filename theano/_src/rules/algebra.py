"""Equations between elementwise ops: identities, and forms that stay exact where others fail."""

from __future__ import annotations

from typing import Any

from theano._src.ops.arithmetic import abs_, add, inv, mul, neg, pow, sqr, sqrt, sub, true_div
from theano._src.ops.explog import exp, expm1, log, log1p, sigmoid, softplus
from theano._src.rewrite.pattern import Hole
from theano._src.rewrite.rule import Rule

x = Hole("x")
# what is right for floats may wrap for integers, and take another branch for complex numbers
f = Hole("x", kind="f")
signed = Hole("x", kind="ifc")

_ZERO = "-0.0 + 0 is 0.0, the replacement -0.0"
_BITS = "the result may differ in its last bit"


def _rule(name: str, group: str, lhs: Any, rhs: Any, *documented: str, **facts: Any) -> Rule:
    """A rule that runs again in specialize, for what other rules have brought forth by then."""
    return Rule(name, group, lhs, rhs, tags=("specialize", *documented), **facts)


# fmt: off
RULES = (
    _rule("neg_neg",      "canonicalize", neg(neg(x)),       x,             "local_neg_neg"),
    _rule("inv_inv",      "canonicalize", inv(inv(f)),       f,             hazard=_BITS),
    _rule("abs_abs",      "canonicalize", abs_(abs_(x)),     abs_(x)),
    _rule("abs_neg",      "canonicalize", abs_(neg(signed)), abs_(signed)),
    _rule("mul_one",      "canonicalize", mul(x, 1),         x,             "local_mul_specialize"),
    _rule("add_zero",     "canonicalize", add(x, 0),         x,             "local_add_specialize",
          hazard=_ZERO),
    _rule("sub_zero",     "canonicalize", sub(x, 0),         x),
    _rule("div_one",      "canonicalize", true_div(x, 1),    x),
    _rule("pow_one",      "canonicalize", pow(x, 1),         x,
          "local_pow_canonicalize"),
    _rule("pow_two",      "specialize",   pow(x, 2),         sqr(x),        "local_pow_specialize"),
    _rule("sqrt_sqr",     "specialize",   sqrt(sqr(f)),      abs_(f)),
    _rule("log_one_plus", "stabilize",    log(add(1, f)),    log1p(f),      "local_log1p",
          example={"x": (0.1, 9.0)}),
    _rule("log_exp",      "stabilize",    log(exp(f)),       f),
    _rule("log1p_expm1",  "stabilize",    log1p(expm1(f)),   f),
    _rule("log1p_exp",    "stabilize",    log1p(exp(f)),     softplus(f),   "log1pexp_to_softplus"),
    _rule("log_sigmoid",  "stabilize",    log(sigmoid(f)),   neg(softplus(neg(f))),
          "logsigm_to_softplus"),
    _rule("log_one_minus_sigmoid", "stabilize", log(sub(1, sigmoid(f))), neg(softplus(f)),
          "log1msigm_to_softplus"),
    _rule("log1p_minus_sigmoid", "stabilize", log1p(neg(sigmoid(f))), neg(softplus(f))),
)
# fmt: on
