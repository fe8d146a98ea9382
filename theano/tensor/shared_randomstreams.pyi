# Written by tools/stubs.py from shared_randomstreams.py: change that file.
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
