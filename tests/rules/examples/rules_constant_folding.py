"""Graphs on which the rules of rules/constant_folding.py fire."""

from typing import Any

import numpy as np

from theano._src.ops.elementwise.arithmetic import add
from theano._src.types.convert import constant


def _example() -> tuple[list[Any], list[Any]]:
    return [], [add(constant(np.array([1.0, 2.0])), constant(np.array([0.5, 0.25])))]


EXAMPLES = {
    "constant_folding": _example,
}
