"""Random streams on GPUs: those of MRG31k3p, which run on both engines."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    "theano._src.ops.random.mrg_streams: CURAND_RandomStreams=MRG_RandomStreams",
)
