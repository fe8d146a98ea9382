"""Random streams of the generator MRG31k3p."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.random.mrg: DotModulo mrg_uniform mrg_uniform_base
    theano._src.ops.random.mrg_streams: M1 M2 A1p72 A1p134 A2p72 A2p134 MRG_RandomStreams
        ff_2p72 ff_2p134 guess_n_streams matVecModM multMatVect
        MRG_RandomStream=MRG_RandomStreams
    """,
)
