"""The Op contract."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.graph.c_files: OpenMPOp ExternalCOp=COp
    theano._src.graph.op: Op COp=Op
    theano._src.graph.testvalue: compute_test_value get_test_value missing_test_message
        get_test_values=get_debug_values
    """,
)
