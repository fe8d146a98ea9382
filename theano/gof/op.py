"""The Op contract."""

from theano._src.graph.graph import Apply
from theano._src.graph.op import CLinkerOp, Op, OpenMPOp, PureOp
from theano._src.graph.testvalue import (
    debug_assert,
    debug_error_message,
    get_debug_values,
    get_test_value,
    missing_test_message,
)
from theano._src.ground.utils import MethodNotDefined
from theano.gof import utils

__all__ = [
    "Apply",
    "CLinkerOp",
    "MethodNotDefined",
    "Op",
    "OpenMPOp",
    "PureOp",
    "debug_assert",
    "debug_error_message",
    "get_debug_values",
    "get_test_value",
    "missing_test_message",
    "utils",
]
