"""Correlation in three dimensions."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    "theano._src.ops.conv.corr: Corr3dMM Corr3dMM_gradInputs Corr3dMM_gradWeights",
)
