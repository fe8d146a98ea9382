"""Random streams on GPUs: those of MRG31k3p, which run on both engines."""

from theano._src.ground.absent import module_getattr
from theano._src.ops.random.mrg_streams import MRG_RandomStreams as CURAND_RandomStreams

__getattr__ = module_getattr(__name__)
