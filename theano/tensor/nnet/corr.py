"""Correlation in two dimensions."""

from theano._src.ops.conv.corr import CorrMM, CorrMM_gradInputs, CorrMM_gradWeights

__all__ = [
    "CorrMM",
    "CorrMM_gradInputs",
    "CorrMM_gradWeights",
]
