"""Random streams on GPUs: those of MRG31k3p, which run on both engines."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.random import mrg_streams as _mrg_streams

CURAND_RandomStreams = _mrg_streams.MRG_RandomStreams

__getattr__ = _module_getattr(__name__)
