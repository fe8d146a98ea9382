"""Random variables with states of their own."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.random.random_streams import (
    RandomStreams as RandomStreams,
    RandomStreamsBase as RandomStreamsBase,
    RandomVariable as RandomVariable,
)
from theano._src.types.randomstate import (
    RandomStateSharedVariable as RandomStateSharedVariable,
    random_state_type as random_state_type,
    randomstate_constructor as randomstate_constructor,
)

__getattr__ = _module_getattr(__name__)
