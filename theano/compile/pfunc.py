"""Functions of graphs with shared variables."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.compile.function: pfunc rebuild_collect_shared
    theano._src.compile.io: In Out Param
    """,
)
