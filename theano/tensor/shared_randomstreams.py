"""Random variables with states of their own."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.random.random_streams: RandomStreams RandomStreamsBase RandomVariable
    theano._src.types.randomstate: RandomStateSharedVariable random_state_type
        randomstate_constructor
    """,
)
