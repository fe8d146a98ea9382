"""The Op contract."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.graph.c_files: COp OpenMPOp
    theano._src.graph.c_object: CLinkerObject
    theano._src.graph.c_op: CLinkerOp
    theano._src.graph.fg: FunctionGraph
    theano._src.graph.graph: Apply
    theano._src.graph.op: Op PureOp
    theano._src.graph.testvalue: debug_assert debug_error_message get_debug_values
        get_test_value missing_test_message
    theano._src.ground.utils: MethodNotDefined
    theano.gof: utils
    """,
)
