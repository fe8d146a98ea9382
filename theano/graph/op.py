"""The Op contract."""

from theano._src.graph.c_files import COp as _COp, OpenMPOp as OpenMPOp
from theano._src.graph.op import Op as Op
from theano._src.graph.testvalue import (
    compute_test_value as compute_test_value,
    get_debug_values as _get_debug_values,
    get_test_value as get_test_value,
    missing_test_message as missing_test_message,
)
from theano._src.ground.absent import module_getattr as _module_getattr

COp = Op
ExternalCOp = _COp
get_test_values = _get_debug_values

__getattr__ = _module_getattr(__name__)
