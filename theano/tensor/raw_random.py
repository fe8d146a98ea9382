"""Draws from NumPy's generator: each function takes a state, and gives the next with the sample."""

import numpy as np

import theano
from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.random.distributions: choice_helper multinomial_helper permutation_helper
        random_integers_helper
    theano._src.ops.random.random_function: RandomFunction _infer_ndim_bcast
    theano._src.ops.random.random_streams: RandomStreamsBase
    theano._src.ops.random.raw_random: binomial choice multinomial normal permutation poisson
        random_integers uniform
    theano._src.types.randomstate: RandomStateType random_state_type
    """,
)
