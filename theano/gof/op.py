"""The Op contract."""

from theano._src.graph.node import Apply
from theano._src.graph.op import CLinkerOp, Op, OpenMPOp, PureOp
from theano._src.graph.testvalue import get_debug_values, get_test_value

__all__ = ["Apply", "CLinkerOp", "Op", "OpenMPOp", "PureOp", "get_debug_values", "get_test_value"]
