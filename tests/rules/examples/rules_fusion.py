"""Graphs on which the rules of rules/fusion.py fire."""

from typing import Any

from theano._src.ops.core.composite import Composite
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import Neg, Sqr
from theano._src.types.tensor import tensor_type


def _two_outputs() -> tuple[list[Any], list[Any]]:
    x = tensor_type("float64", (False,))("x")
    both = Composite.of(["float64"], [(Sqr(), (0,)), (Neg(), (0,))], [1, 2])
    return [x], [Elemwise(both)(x)[1]]


EXAMPLES = {
    "useful_outputs": _two_outputs,
}
