"""Graphs on which the rules of rules/joining.py fire."""

from typing import Any

from theano._src.ops.shape.join import Split, join, make_vector
from theano._src.ops.shape.shape import shape_i_op
from theano._src.rules.structure import vector


def _split_example() -> tuple[list[Any], list[Any]]:
    x, y = vector("x"), vector("y")
    both = Split(2)(join(0, x, y), 0, make_vector(shape_i_op(0)(x), shape_i_op(0)(y)))
    return [x, y], list(both)


EXAMPLES = {
    "split_of_join": _split_example,
}
