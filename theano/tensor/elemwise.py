"""Elementwise ops and reductions as classes."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.core.dimshuffle: DimShuffle
    theano._src.ops.core.elemwise: Elemwise
    theano._src.ops.reduce.any_all: All Any
    theano._src.ops.reduce.careduce: CAReduce CAReduceDtype MulWithoutZeros Prod
        ProdWithoutZeros Sum
    """,
)
