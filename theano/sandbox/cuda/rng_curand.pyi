# Written by tools/stubs.py from rng_curand.py: change that file.
from theano._src.ops.random.mrg_streams import MRG_RandomStreams as _MRG_RandomStreams

CURAND_RandomStreams = _MRG_RandomStreams
