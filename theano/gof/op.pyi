# Written by tools/stubs.py from op.py: change that file.
from theano._src.graph.c_files import COp as COp, OpenMPOp as OpenMPOp
from theano._src.graph.c_object import CLinkerObject as CLinkerObject
from theano._src.graph.c_op import CLinkerOp as CLinkerOp
from theano._src.graph.fg import FunctionGraph as FunctionGraph
from theano._src.graph.graph import Apply as Apply
from theano._src.graph.op import Op as Op, PureOp as PureOp
from theano._src.graph.testvalue import (
    debug_assert as debug_assert,
    debug_error_message as debug_error_message,
    get_debug_values as get_debug_values,
    get_test_value as get_test_value,
    missing_test_message as missing_test_message,
)
from theano._src.ground.utils import MethodNotDefined as MethodNotDefined
from theano.gof import utils as utils
