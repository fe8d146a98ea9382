"""Indexing."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.graph.c_op: HideC
    theano._src.legacy.gpu: GpuAdvancedSubtensor1
    """,
)
