"""The interfaces of ops and types with C code."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.graph.c_object: CLinkerObject
    theano._src.graph.c_op: CLinkerOp HideC
    theano._src.graph.type: CLinkerType
    """,
)
