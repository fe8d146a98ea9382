"""The older name of ``shared_randomstreams``."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.random.random_streams import (
    RandomStreams as RandomStreams,
    RandomStreamsBase as RandomStreamsBase,
    RandomVariable as RandomVariable,
)

__getattr__ = _module_getattr(__name__)
