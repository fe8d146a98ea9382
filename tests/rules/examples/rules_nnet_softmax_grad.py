"""Graphs on which the rules of rules/nnet/softmax_grad.py fire."""

from typing import Any

import numpy as np

from theano._src.ops.elementwise.arithmetic import add, fill, mul, neg, true_div
from theano._src.ops.elementwise.explog import exp
from theano._src.ops.index.advanced import AdvancedIncSubtensor, AdvancedSubtensor
from theano._src.ops.nnet.losses import crossentropy_categorical_1hot_grad
from theano._src.ops.nnet.softmax import softmax_op
from theano._src.ops.reduce.careduce import sum as sum_
from theano._src.ops.reduce.max_min import Argmax
from theano._src.ops.shape.ranges import arange
from theano._src.ops.shape.shape import shape_i
from theano._src.types.tensor import tensor_type


def _shares_example() -> tuple[list[Any], list[Any]]:
    m, n = (tensor_type("float64", (False, False))(name) for name in "mn")
    e = exp(m)
    s = sum_(e, axis=1, keepdims=True)
    mean = sum_(n, axis=1, keepdims=True)
    return [m, n], [mul(e, add(true_div(n, s), neg(true_div(mean, s))))]


def _times_example() -> tuple[list[Any], list[Any]]:
    m, n = (tensor_type("float64", (False, False))(name) for name in "mn")
    g, sm, y = tensor_type("float64", (False,))("g"), softmax_op(m), Argmax((1,))(n)
    index = arange(shape_i(y, 0)), y
    part = true_div(g, AdvancedSubtensor()(sm, *index))
    by_index = AdvancedIncSubtensor()(fill(sm, np.asarray(0.0)), part, *index)
    by_class = crossentropy_categorical_1hot_grad(g, sm, y)
    return [m, n, g], [mul(sm, by_index), mul(n, by_class, sm)]


def _same_example() -> tuple[list[Any], list[Any]]:
    m = tensor_type("float64", (False, False))("m")
    return [m], [softmax_op(m), exp(softmax_op(m))]


EXAMPLES = {
    "same_softmax": _same_example,
    "exp_times_shares": _shares_example,
    "softmax_times_gradient": _times_example,
}
