"""Graphs on which the rules of rules/shape.py fire."""

from typing import Any

from theano._src.ops.elementwise.arithmetic import add, mul
from theano._src.ops.elementwise.explog import exp
from theano._src.ops.index.subtensor import Subtensor
from theano._src.ops.shape.join import make_vector
from theano._src.ops.shape.shape import shape, shape_i_op
from theano._src.ops.shape.static_values import as_length
from theano._src.types.scalar import get_scalar_type
from theano._src.types.tensor import tensor_type


def _matrix() -> Any:
    return tensor_type("float64", (False, False))("x")


def _length_example() -> tuple[list[Any], list[Any]]:
    x = _matrix()
    return [x], [shape_i_op(1)(mul(x, add(x, 2)))]


def _shape_example() -> tuple[list[Any], list[Any]]:
    x = _matrix()
    return [x], [shape(exp(x))]


def _entry_example() -> tuple[list[Any], list[Any]]:
    x = _matrix()
    lengths = make_vector(shape_i_op(0)(x), shape_i_op(1)(x), 7)
    number = get_scalar_type("int64")
    one = Subtensor([number])(lengths, as_length(-2))
    rest = Subtensor([slice(number, None, None)])(lengths, as_length(1))
    return [x], [one, rest]


EXAMPLES = {
    "shape_to_lengths": _shape_example,
    "length_lifted": _length_example,
    "entry_of_vector": _entry_example,
}
