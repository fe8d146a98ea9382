"""Graphs on which the rules of rules/nnet/crossentropy.py fire."""

from typing import Any

import numpy as np

from theano._src.ops.elementwise.arithmetic import add, fill, mul, sub
from theano._src.ops.index.advanced import AdvancedIncSubtensor
from theano._src.ops.nnet.crossentropy import (
    CrossentropySoftmax1Hot,
    CrossentropySoftmax1HotWithBiasDx,
)
from theano._src.ops.nnet.losses import (
    crossentropy_categorical_1hot,
    crossentropy_categorical_1hot_grad,
)
from theano._src.ops.nnet.softmax import (
    Softmax,
    logsoftmax_op,
    softmax_grad,
    softmax_op,
    softmax_with_bias,
)
from theano._src.ops.reduce.careduce import sum as sum_
from theano._src.ops.reduce.max_min import Argmax
from theano._src.ops.shape.alloc import Alloc
from theano._src.ops.shape.ranges import arange
from theano._src.ops.shape.shape import shape_i
from theano._src.types.tensor import tensor_type


def _matrix(name: str) -> Any:
    return tensor_type("float64", (False, False))(name)


def _classes(m: Any) -> Any:
    return Argmax((1,))(m)


def _categorical_example() -> tuple[list[Any], list[Any]]:
    m, n = _matrix("m"), _matrix("n")
    sm = softmax_op(m)
    return [m, n], [crossentropy_categorical_1hot(sm, _classes(n)), sm]


def _indexed_example() -> tuple[list[Any], list[Any]]:
    m, n = _matrix("m"), _matrix("n")
    y = _classes(n)
    return [m, n], [logsoftmax_op(m)[arange(shape_i(y, 0)), y], softmax_op(m)]


def _beside_example() -> tuple[list[Any], list[Any]]:
    m, n = _matrix("m"), _matrix("n")
    return [m, n], [CrossentropySoftmax1Hot()(m, _classes(n))[0], softmax_op(m)]


def _through_example() -> tuple[list[Any], list[Any]]:
    m, n = _matrix("m"), _matrix("n")
    g, sm = tensor_type("float64", (False,))("g"), softmax_op(m)
    return [m, n, g], [softmax_grad(crossentropy_categorical_1hot_grad(g, sm, _classes(n)), sm)]


def _by_index_example() -> tuple[list[Any], list[Any]]:
    m, n = _matrix("m"), _matrix("n")
    g, sm, y = tensor_type("float64", (False,))("g"), softmax_op(m), _classes(n)
    zeros = fill(sm, np.asarray(0.0))
    h = AdvancedIncSubtensor()(zeros, g, arange(shape_i(y, 0)), y)
    one = AdvancedIncSubtensor()(zeros, sum_(g, keepdims=True), arange(shape_i(y, 0)), y)
    return [m, n, g], [sub(v, mul(sum_(v, axis=1, keepdims=True), sm)) for v in (h, one)]


def _number_example() -> tuple[list[Any], list[Any]]:
    m, n = _matrix("m"), _matrix("n")
    g, y = tensor_type("float64", ())("g"), _classes(n)
    op = CrossentropySoftmax1HotWithBiasDx()
    return [m, n, g], [op(Alloc()(g, shape_i(m, 0)), m, y)]


def _bias_example() -> tuple[list[Any], list[Any]]:
    m, b = _matrix("m"), tensor_type("float64", (False,))("b")
    return [m, b], [softmax_with_bias(m, b)]


def _add_example() -> tuple[list[Any], list[Any]]:
    m, b = _matrix("m"), tensor_type("float64", (False,))("b")
    return [m, b], [softmax_op(add(m, b)), softmax_op(add(m, m, b))]


def _crossentropy_bias_example() -> tuple[list[Any], list[Any]]:
    m, n, b = _matrix("m"), _matrix("n"), tensor_type("float64", (False,))("b")
    return [m, n, b], CrossentropySoftmax1Hot()(add(m, b), _classes(n))


def _argmax_example() -> tuple[list[Any], list[Any]]:
    m = _matrix("m")
    return [m], [Argmax((1,))(softmax_op(m)), Argmax((0,))(Softmax((0,))(m))]


EXAMPLES = {
    "softmax_bias_apart": _bias_example,
    "crossentropy_of_softmax": _categorical_example,
    "crossentropy_gradient_through_softmax": _through_example,
    "crossentropy_by_index": _indexed_example,
    "crossentropy_gradient_by_index": _by_index_example,
    "softmax_beside_crossentropy": _beside_example,
    "crossentropy_gradient_of_one_number": _number_example,
    "argmax_of_softmax": _argmax_example,
    "softmax_bias_within": _add_example,
    "crossentropy_bias_within": _crossentropy_bias_example,
}
