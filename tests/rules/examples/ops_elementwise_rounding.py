"""Graphs on which the rules of ops/elementwise/rounding.py fire."""

from typing import Any

from theano._src.ops.core.cast import cast
from theano._src.ops.elementwise.rounding import ceil, floor, round_half_away_from_zero, trunc
from theano._src.types.tensor import tensor_type


def _example() -> tuple[list[Any], list[Any]]:
    x = tensor_type("float64", (False,))("x")
    n = tensor_type("int32", (False,))("n")
    return [x, n], [floor(ceil(x)), round_half_away_from_zero(trunc(x)), ceil(cast(n, "float64"))]


EXAMPLES = {
    "whole_rounded": _example,
}
