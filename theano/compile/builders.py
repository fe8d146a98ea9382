"""Ops made from graphs."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.control.inner_graph: InnerGraph
    theano._src.control.op_from_graph: OpFromGraph
    """,
)
