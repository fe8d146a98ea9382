"""Draws from NumPy's generator: each function takes a state, and gives the next with the sample."""

import numpy as np

import theano
from theano._src.ops.random.distributions import (
    choice_helper,
    multinomial_helper,
    permutation_helper,
    random_integers_helper,
)
from theano._src.ops.random.random_function import RandomFunction, _infer_ndim_bcast
from theano._src.ops.random.random_streams import RandomStreamsBase
from theano._src.ops.random.raw_random import (
    binomial,
    choice,
    multinomial,
    normal,
    permutation,
    poisson,
    random_integers,
    uniform,
)
from theano._src.types.randomstate import RandomStateType, random_state_type
