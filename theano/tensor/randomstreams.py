"""The older name of ``shared_randomstreams``."""

from theano._src.ops.random.random_streams import (
    RandomStreams as RandomStreams,
    RandomStreamsBase as RandomStreamsBase,
    RandomVariable as RandomVariable,
)
