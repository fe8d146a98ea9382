"""Single numbers: their types, and the functions that elementwise ops are made of."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.graph.graph: Apply Constant Variable
    theano._src.graph.op: Op
    theano.scalar: basic basic_scipy sharedvar
    theano.scalar.basic: *
    theano.scalar.basic_scipy: *
    """,
)
