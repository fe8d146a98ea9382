"""The mode that checks ops and rewrites, and what it raises."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.compile.debug.debugmode.errors: BadDestroyMap BadOptimization BadStrides
        BadThunkOutput BadViewMap DebugModeError InvalidValueError StochasticOrder
    theano._src.compile.debug.debugmode.mode: DebugMode
    theano._src.compile.debug.debugmode.node_check: default_make_thunk
    """,
)
