"""Graphs on which the rules of rules/ratios.py fire."""

from typing import Any

from tests.rules.examples.variables import vectors
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.elementwise.activations import sigmoid
from theano._src.ops.elementwise.arithmetic import add, mul, neg, sqr, sub, true_div
from theano._src.ops.elementwise.explog import exp, expm1
from theano._src.ops.elementwise.special import erfc as erfc_
from theano._src.ops.elementwise.trig import cosh, sinh
from theano._src.ops.reduce.careduce import Sum
from theano._src.types.tensor import tensor_type


def _ratios_example() -> tuple[list[Any], list[Any]]:
    g, x, y = vectors("g", "x", "y")
    u = add(1, exp(neg(x)))
    matrix = tensor_type("float64", (False, False))("m")
    total = Sum(axis=(1,))(exp(matrix))
    rows = DimShuffle((False,), (0, "x"))(total)
    z = tensor_type("float64", ())("z")
    spread = DimShuffle((), ("x",))
    return [g, x, y, matrix, z], [
        true_div(mul(g, spread(exp(z))), add(1, spread(exp(z)))),
        true_div(mul(g, spread(exp(z))), spread(add(1, exp(z)))),
        true_div(mul(g, exp(neg(x))), mul(u, u)),
        true_div(mul(neg(exp(x)), g), add(exp(x), exp(y))),
        true_div(mul(g, exp(x)), add(1, exp(x), exp(y))),
        true_div(exp(matrix), rows),
        true_div(DimShuffle((False,), (0, "x"))(Sum(axis=(1,))(mul(matrix, exp(matrix)))), rows),
        mul(true_div(g, sigmoid(x)), sigmoid(x), x),
        mul(sigmoid(x), exp(neg(x)), g),
        true_div(mul(g, exp(x)), expm1(x)),
        true_div(mul(g, exp(neg(sqr(x)))), erfc_(x)),
        true_div(mul(g, sinh(x)), cosh(x)),
    ]


def _distribute_example() -> tuple[list[Any], list[Any]]:
    a, b, x = vectors("a", "b", "x")
    p, q = sigmoid(x), sigmoid(neg(x))
    return [a, b, x], [mul(p, q, sub(true_div(a, p), true_div(b, q)))]


def _slope_example() -> tuple[list[Any], list[Any]]:
    g, x = vectors("g", "x")
    s = sigmoid(x)
    other = mul(sigmoid(g), s)
    return [g, x], [sub(s, sqr(s)), add(neg(mul(g, sqr(s))), mul(g, s)), sub(s, other)]


EXAMPLES = {
    "bounded_ratio": _ratios_example,
    "distribute_to_cancel": _distribute_example,
    "sigmoid_slope": _slope_example,
}
