"""Graphs on which the rules of ops/linalg/hints.py fire."""

from typing import Any

from theano._src.ops.linalg.hints import Hint
from theano._src.types.tensor import tensor_type


def _example() -> tuple[list[Any], list[Any]]:
    x = tensor_type("float64", (False, False))("x")
    return [x], [Hint(seen=True)(x) * 2]


EXAMPLES = {
    "remove_hint_nodes": _example,
}
