# Written by tools/stubs.py from rng_mrg.py: change that file.
from theano._src.ops.random.mrg import (
    DotModulo as DotModulo,
    mrg_uniform as mrg_uniform,
    mrg_uniform_base as mrg_uniform_base,
)
from theano._src.ops.random.mrg_streams import (
    M1 as M1,
    M2 as M2,
    A1p72 as A1p72,
    A1p134 as A1p134,
    A2p72 as A2p72,
    A2p134 as A2p134,
    MRG_RandomStreams as MRG_RandomStreams,
    ff_2p72 as ff_2p72,
    ff_2p134 as ff_2p134,
    guess_n_streams as guess_n_streams,
    matVecModM as matVecModM,
    multMatVect as multMatVect,
)

MRG_RandomStream = MRG_RandomStreams
