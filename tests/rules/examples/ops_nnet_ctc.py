"""Graphs on which the rules of ops/nnet/ctc.py fire."""

from typing import Any

import numpy as np

from theano._src.ops.nnet.ctc import ctc
from theano._src.types.convert import constant
from theano._src.types.tensor import tensor_type


def _example() -> tuple[list[Any], list[Any]]:
    a = tensor_type("float64", (False,) * 3)("a")
    labels, lengths = (constant(np.zeros(s, "int32")) for s in ((2, 1), 2))
    return [a], [ctc(a[:, :2], labels, lengths)]


EXAMPLES = {
    "ctc_cost_alone": _example,
}
