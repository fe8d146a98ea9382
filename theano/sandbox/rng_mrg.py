"""Random streams of the generator MRG31k3p."""

from theano._src.ops.random.mrg import DotModulo, mrg_uniform, mrg_uniform_base
from theano._src.ops.random.mrg_streams import (
    M1,
    M2,
    A1p72,
    A1p134,
    A2p72,
    A2p134,
    MRG_RandomStreams,
    ff_2p72,
    ff_2p134,
    guess_n_streams,
    matVecModM,
    multMatVect,
)

__all__ = [
    "M1",
    "M2",
    "A1p72",
    "A1p134",
    "A2p72",
    "A2p134",
    "DotModulo",
    "MRG_RandomStreams",
    "ff_2p72",
    "ff_2p134",
    "guess_n_streams",
    "matVecModM",
    "mrg_uniform",
    "mrg_uniform_base",
    "multMatVect",
]
