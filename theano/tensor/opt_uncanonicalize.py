"""Rewrites that run when the canonical form has served."""

from theano._src.rules.named import (
    local_alloc_dimshuffle,
    local_dimshuffle_alloc,
    local_dimshuffle_subtensor,
    local_max_and_argmax,
    local_max_to_min,
    local_reshape_dimshuffle,
)

__all__ = [
    "local_reshape_dimshuffle",
    "local_dimshuffle_subtensor",
    "local_alloc_dimshuffle",
    "local_dimshuffle_alloc",
    "local_max_and_argmax",
    "local_max_to_min",
]
