"""The linkers called c and c|py."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.engines.linkers.documented: CLinker OpWiseCLinker
    theano._src.engines.linkers.dual: DualLinker
    theano._src.graph.c_op: HideC
    """,
)
