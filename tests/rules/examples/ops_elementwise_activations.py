"""Graphs on which the rules of ops/elementwise/activations.py fire."""

from typing import Any

from theano._src.ops.elementwise.activations import sigmoid
from theano._src.ops.elementwise.arithmetic import mul
from theano._src.types.tensor import tensor_type


def _where_they_agree() -> tuple[list[Any], list[Any]]:
    x = tensor_type("float64", (False,))("x")
    return [x], [sigmoid(mul(x, 0))]


EXAMPLES = {
    "local_ultra_fast_sigmoid": _where_they_agree,
    "local_hard_sigmoid": _where_they_agree,
}
