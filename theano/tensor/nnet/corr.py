"""Correlation in two dimensions."""

from theano._src.ops.conv.corr import (
    CorrMM as CorrMM,
    CorrMM_gradInputs as CorrMM_gradInputs,
    CorrMM_gradWeights as CorrMM_gradWeights,
)
