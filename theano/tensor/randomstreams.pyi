# Written by tools/stubs.py from randomstreams.py: change that file.
from theano._src.ops.random.random_streams import (
    RandomStreams as RandomStreams,
    RandomStreamsBase as RandomStreamsBase,
    RandomVariable as RandomVariable,
)
