"""The older name of ``shared_randomstreams``."""

from theano._src.ops.streams import RandomStreams, RandomStreamsBase, RandomVariable
