"""Linkers and containers."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.engines.link: Linker LocalLinker PerformLinker
    theano._src.engines.linkers.wrap: WrapLinker WrapLinkerMany
    theano._src.types.shared: Container
    """,
)
