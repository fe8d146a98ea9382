"""Rewrites that run when the canonical form has served."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.rules.named: local_alloc_dimshuffle local_dimshuffle_alloc
        local_dimshuffle_subtensor local_max_and_argmax local_max_to_min
        local_reshape_dimshuffle
    """,
)
