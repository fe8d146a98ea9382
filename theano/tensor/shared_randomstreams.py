"""Random variables with states of their own."""

from theano._src.ops.random.random_streams import RandomStreams, RandomStreamsBase, RandomVariable
from theano._src.types.randomstate import (
    RandomStateSharedVariable,
    random_state_type,
    randomstate_constructor,
)
