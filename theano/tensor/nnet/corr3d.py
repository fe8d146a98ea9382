"""Correlation in three dimensions."""

from theano._src.ops.conv.corr import Corr3dMM, Corr3dMM_gradInputs, Corr3dMM_gradWeights

__all__ = [
    "Corr3dMM",
    "Corr3dMM_gradInputs",
    "Corr3dMM_gradWeights",
]
