"""Random streams on GPUs: those of MRG31k3p, which run on both engines."""

from theano._src.ground.absent import absent_names
from theano._src.ops.mrg_streams import MRG_RandomStreams as CURAND_RandomStreams

__getattr__ = absent_names(__name__)
