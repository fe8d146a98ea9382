"""Helpers for linkers."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.engines.error_report: raise_with_op=raise_with_thunk
    theano._src.engines.link: map_storage
    theano._src.engines.linkers.thunks: gc_helper streamline
    """,
)
