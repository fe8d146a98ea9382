"""The older name of ``shared_randomstreams``."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    "theano._src.ops.random.random_streams: RandomStreams RandomStreamsBase RandomVariable",
)
