"""Linkers and containers."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.engines.error_report: raise_with_op=raise_with_thunk
    theano._src.engines.link: Linker LocalLinker PerformLinker map_storage
    theano._src.engines.linkers.thunks: add_clear_storage gc_helper streamline
    theano._src.engines.linkers.wrap: WrapLinker WrapLinkerMany
    theano._src.graph.type: Type
    theano._src.types.shared: Container
    """,
)
