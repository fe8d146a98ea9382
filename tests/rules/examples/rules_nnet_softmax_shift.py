"""Graphs on which the rules of rules/nnet/softmax_shift.py fire."""

from typing import Any

from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.elementwise.arithmetic import add, mul, neg, sub
from theano._src.ops.elementwise.compare import eq, switch
from theano._src.ops.nnet.softmax import LogSoftmax, LogSumExp, Softmax, along
from theano._src.ops.reduce.careduce import Max, sum as sum_
from theano._src.types.tensor import tensor_type


def _kept(v: Any, axis: int) -> Any:
    """A reduction of a matrix with the dimension put back."""
    return DimShuffle((False,), (0, "x") if axis else ("x", 0))(v)


def _shifted(axis: int) -> tuple[Any, Any]:
    m = tensor_type("float64", (False, False))("m")
    return m, sub(m, _kept(Max((axis,))(m), axis))


def _softmax_example() -> tuple[list[Any], list[Any]]:
    made = [(axis, *_shifted(axis)) for axis in (0, 1)]
    found = [along(op, z, (axis,)) for axis, _, z in made for op in (Softmax, LogSoftmax)]
    return [m for _, m, _ in made], found


def _log_softmax_example() -> tuple[list[Any], list[Any]]:
    made = [(axis, *_shifted(axis)) for axis in (0, 1)]
    found = [sub(z, _kept(LogSumExp((axis,))(z), axis)) for axis, _, z in made]
    return [m for _, m, _ in made], found


def _slopes_example() -> tuple[list[Any], list[Any]]:
    m, g = (tensor_type("float64", (False, False))(name) for name in "mg")
    found = []
    for axis in (0, 1):
        share = mul(_kept(sum_(g, axis), axis), along(Softmax, m, (axis,)))
        for v in (sub(g, share), add(neg(share), g)):
            back = _kept(sum_(v, axis), axis)
            found += [switch(eq(m, g), back, 0), switch(eq(m, g), neg(back), 0)]
    return [m, g], found


EXAMPLES = {
    "softmax_of_shifted": _softmax_example,
    "shifted_less_log_sum_exp": _log_softmax_example,
    "no_slope_of_shift": _slopes_example,
}
