"""Graphs on which the rules of rules/stability.py fire."""

from typing import Any

import numpy as np

from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.elementwise.activations import sigmoid
from theano._src.ops.elementwise.arithmetic import (
    abs_,
    add,
    fill,
    mul,
    neg,
    sqr,
    sqrt,
    sub,
    true_div,
)
from theano._src.ops.elementwise.explog import exp, expm1, log, log1p
from theano._src.ops.elementwise.special import erfc
from theano._src.ops.index.advanced import AdvancedIncSubtensor, AdvancedSubtensor
from theano._src.ops.nnet.softmax import LogSoftmax, Softmax, SoftmaxGrad, softmax_op
from theano._src.ops.reduce.careduce import Sum
from theano._src.ops.shape.ranges import arange
from theano._src.ops.shape.shape import shape_i
from theano._src.types.tensor import tensor_type


def _tensor(name: str, *pattern: bool) -> Any:
    return tensor_type("float64", pattern)(name)


def _log_sum_example() -> tuple[list[Any], list[Any]]:
    x, y = _tensor("x", False), _tensor("y", False)
    sums = [add(1, exp(x), exp(y)), add(exp(x), exp(y)), add(exp(y), 1)]
    small = [add(1, sqr(x), exp(y)), sub(1, neg(sqr(x))), sub(add(sqr(x), 1), neg(exp(y)))]
    return [x, y], [log(v) for v in (*sums, *small)]


def _log1p_sum_example() -> tuple[list[Any], list[Any]]:
    x, y = _tensor("x", False), _tensor("y", False)
    return [x, y], [log1p(add(exp(x), exp(y)))]


def _log_product_example() -> tuple[list[Any], list[Any]]:
    x, m = _tensor("x", False), _tensor("m", False, False)
    mean = DimShuffle((), ("x",))(Sum()(exp(m)))
    whole = [mul(2.0, exp(x), sigmoid(x)), true_div(mul(3.0, erfc(x)), mul(mean, exp(x)))]
    return [x, m], [log(v) for v in (*whole, true_div(sqr(x), exp(x)))]


def _log_power_example() -> tuple[list[Any], list[Any]]:
    x = _tensor("x", False)
    return [x], [log(sqr(x)), log(sqrt(abs_(x))), log(abs_(x) ** 3.0), log(x**4)]


def _log_sum_exp_example() -> tuple[list[Any], list[Any]]:
    m = _tensor("m", False, False)
    return [m], [log(Sum(axis)(exp(m))) for axis in (None, (0,), (1,))]


def _softmax_example() -> tuple[list[Any], list[Any]]:
    m = _tensor("m", False, False)
    sm = softmax_op(m)
    rows = arange(shape_i(m, 0))
    deep = LogSoftmax((0,))(m)
    return [m], [log(sm), log(sm[rows, rows]), log(sm[0]), log(Softmax((0,))(m)), deep]


def _gradient_example() -> tuple[list[Any], list[Any]]:
    m, g = _tensor("m", False, False), _tensor("g", False, False)
    sm = softmax_op(m)
    rows = arange(shape_i(m, 0))
    picked = AdvancedSubtensor()(sm, rows, rows)
    zeros = fill(sm, np.asarray(0.0))
    inner = AdvancedIncSubtensor()(zeros, true_div(np.asarray([-1.0]), picked), rows, rows)
    grad = SoftmaxGrad()
    return [m, g], [
        grad(true_div(g, sm), sm),
        grad(inner, sm),
        grad(add(true_div(mul(2.0, g), sm), g), sm),
    ]


def _exp_log_example() -> tuple[list[Any], list[Any]]:
    x = _tensor("x", False)
    return [x], [f(g(x)) for f in (exp, expm1) for g in (log, log1p)]


def _exp_log_softmax_example() -> tuple[list[Any], list[Any]]:
    m = _tensor("m", False, False)
    return [m], [exp(LogSoftmax()(m))]


EXAMPLES = {
    "log_softmax": _softmax_example,
    "log_softmax_gradient": _gradient_example,
    "exp_of_log_softmax": _exp_log_softmax_example,
    "log_sum_exp": _log_sum_exp_example,
    "log_of_sum": _log_sum_example,
    "log1p_of_exps": _log1p_sum_example,
    "log_of_product": _log_product_example,
    "log_of_power": _log_power_example,
    "exp_of_log": _exp_log_example,
}
