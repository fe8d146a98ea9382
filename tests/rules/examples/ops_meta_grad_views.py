"""Graphs on which the rules of ops/meta/grad_views.py fire."""

from typing import Any

from theano._src.ops.meta.grad_views import zero_grad
from theano._src.types.tensor import tensor_type


def _example() -> tuple[list[Any], list[Any]]:
    x = tensor_type("float64", (False,))("x")
    return [x], [zero_grad(x) * 2]


EXAMPLES = {
    "gradient_view_removed": _example,
}
